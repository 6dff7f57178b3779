// The top bar: name of the instance, state of the system, command palette, time range, live or
// hold, theme.

import { instanceState, type State } from "../../data/instance-state.js";
import { consoleUrl, type Instance } from "../../data/instances.js";
import { textAt } from "../../data/node-stat.js";
import { isHeld, RANGES, range } from "../../data/range.js";
import { connectionError } from "../../data/server-connection.js";
import { systemView } from "../../data/system-view.js";
import { clipForDisplay, count } from "../../data/text.js";
import type { Page } from "../../router.js";
import { switchTheme, theme } from "../../theme.js";
import { Badge } from "../badge.js";
import { Icon } from "../icon.js";
import { kept } from "../kept.js";
import { Segments } from "../segments.js";
import { Menu } from "./menu.js";

const MAX_LISTED = 60;

interface TopBarProps {
  readonly page: Page;
  readonly onPalette: () => void;
}

export function TopBar({ page, onPalette }: TopBarProps) {
  return (
    <header class="top">
      <InstanceSwitcher page={page} />
      <Badge state={systemState()} isPill />
      <div class="end">
        <button type="button" class="btn find" onClick={onPalette}>
          <Icon name="search" />
          <span>Go to, run, find…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <RangeMenu />
        <span class="wide">
          <Segments
            label="Refresh"
            value={isHeld.value ? "hold" : "live"}
            among={[
              ["live", "Live"],
              ["hold", "Hold"],
            ]}
            onChoose={(value) => {
              isHeld.value = value === "hold";
            }}
          />
        </span>
        <button
          type="button"
          class="btn icon bare"
          onClick={switchTheme}
          aria-label={theme.value === "dark" ? "Light theme" : "Dark theme"}
        >
          <Icon name="moon" />
        </button>
      </div>
    </header>
  );
}

/** Summary of the states of all instances. */
function systemState(): Pick<State, "tone" | "word"> {
  if (connectionError.value !== null) return { tone: "err", word: "no response" };
  const { instances } = systemView.value;
  const [first] = instances;
  if (first === undefined) return { tone: "unk", word: "loading" };
  if (instances.length === 1) return instanceState(first.node, first.entry);
  const bad = instances.filter(({ state }) => state.tone === "err").length;
  const warned = instances.filter(({ state }) => state.isWarning).length;
  const of = `of ${count(instances.length)}`;
  if (bad > 0) return { tone: "err", word: `${count(bad)} ${of} down` };
  if (warned > 0) return { tone: "warn", word: `${count(warned)} ${of} to check` };
  return { tone: "ok", word: `${count(instances.length)} in service` };
}

function InstanceSwitcher({ page }: { readonly page: Page }) {
  const { id: own, name: system, instances } = systemView.value;
  const self = instances.find(({ id }) => id === own) ?? instances[0];
  const name = textAt(self?.node, "service-name") || self?.address || location.host;
  const face = (
    <>
      <span class="vh">Instance </span>
      <Icon name="server" />
      <b class="clip">{clipForDisplay(instances.length > 1 ? system || name : name, 40)}</b>
      {instances.length > 1 && (
        <>
          <span class="faint wide">/</span>
          <span class="wide">{clipForDisplay(own, 40)}</span>
        </>
      )}
    </>
  );
  return (
    <Menu face={face}>
      <ul aria-label="Consoles of all instances">
        {instances.slice(0, MAX_LISTED).map((instance) => (
          <InstanceLink key={instance.id} instance={instance} page={page} />
        ))}
      </ul>
      {instances.length > MAX_LISTED && (
        <p class="soft s">{count(instances.length - MAX_LISTED)} more on the page System</p>
      )}
    </Menu>
  );
}

interface LinkProps {
  readonly instance: Instance;
  readonly page: Page;
}

const InstanceLink = kept(({ instance, page }: LinkProps) => {
  const target = consoleUrl(instance, page, location.protocol);
  const { id, address, state } = instance;
  return (
    <li>
      {target === null ? (
        clipForDisplay(id, 40)
      ) : (
        <a href={target} aria-label={`Console of ${clipForDisplay(id || address, 40)}`}>
          {clipForDisplay(id || address, 40)}
        </a>
      )}
      <span class="soft s">{clipForDisplay(instance.type, 20)}</span>
      <Badge state={state} />
    </li>
  );
});

function RangeMenu() {
  const face = (
    <>
      <Icon name="clock" />
      <span class="vh">Time range </span>
      <span class="l">{range.value.title}</span>
    </>
  );
  return (
    <Menu face={face} className="rng">
      {RANGES.map((choice) => (
        <button
          key={choice.seconds}
          type="button"
          class="btn bare"
          aria-pressed={choice === range.value}
          onClick={() => {
            range.value = choice;
          }}
        >
          {choice.title}
        </button>
      ))}
      <button
        type="button"
        class="btn bare phone"
        aria-pressed={isHeld.value}
        onClick={() => {
          isHeld.value = !isHeld.value;
        }}
      >
        Hold
      </button>
    </Menu>
  );
}
