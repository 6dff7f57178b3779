// systemd units: a template unit for all instances, and a target for each host that starts its
// instances.

import type { System } from "../../../runtime/system/system.js";
import { type Manifests, type PlacedInstance, placeInstances, STOP_SECONDS } from "./placement.js";

const UNIT = `# One instance of the system: systemctl start svc@<id>. The build, made by
# \`svc build --standalone\`, is in /opt/svc, the descriptor is /etc/svc/system.json, secrets
# such as SVC_ADMIN_KEY and SVC_TX_KEY are in /etc/svc/environment.
[Unit]
Description=svc instance %i
Wants=network-online.target
After=network-online.target
PartOf=svc.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=svc
WorkingDirectory=/opt/svc
EnvironmentFile=-/etc/svc/environment
StateDirectory=svc/%i
ExecStart=/usr/bin/env node serve.mjs --instance %i --descriptor /etc/svc/system.json \\
  --root /var/lib/svc/%i --drain 5
Restart=always
RestartSec=1
TimeoutStopSec=${STOP_SECONDS}
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
`;

export function systemd(system: System): Manifests {
  const placed = placeInstances(system);
  const files = new Map([["svc@.service", UNIT]]);
  files.set("system.json", `${JSON.stringify(system.descriptor, null, 2)}\n`);
  for (const host of new Set(placed.map(({ plan }) => plan.host))) {
    const instances = placed.filter(({ plan }) => plan.host === host);
    const folder = host.replaceAll(/[^\w.-]/g, "_");
    files.set(`${folder}/svc.target`, createTarget(system, instances));
    for (const { plan, maxFiles } of instances) {
      const limits = `[Service]\nLimitNOFILE=${maxFiles}\n`;
      files.set(`${folder}/svc@${plan.id}.service.d/limits.conf`, limits);
    }
  }
  return files;
}

function createTarget(system: System, placed: readonly PlacedInstance[]): string {
  const wants = placed.map(({ plan }) => `Wants=svc@${plan.id}.service`);
  const description = `Description=${system.name.replaceAll(/[^\x20-\x7e]|%/g, "?")}`;
  const install = ["[Install]", "WantedBy=multi-user.target"];
  return `${["[Unit]", description, ...wants, "", ...install].join("\n")}\n`;
}
