// Settings derived from an instance plan. Options override them, like svc.config.ts.

import type { ResolvedConfig } from "../settings/config-rule.js";
import type { SettingName } from "../settings/server-settings.js";
import type { InstancePlan } from "./instance-plan.js";

export function plannedSettings(
  plan: InstancePlan,
  config: ResolvedConfig,
): Partial<Record<SettingName, unknown>> {
  const { id, port, ip, prefix, serviceIn, graphs, dispatcher, isBackEnd, expires } = plan;
  const { txPort, attached } = plan;
  const { name, graphs: configured, http } = config;
  return {
    name: name === null ? id : `${id}: ${name}`,
    port,
    ip,
    prefix,
    servicein: serviceIn,
    dispatcher,
    graphs: { ...graphs, ...configured },
    // Dispatchers send an identity line, which only this transport understands.
    ...(isBackEnd && http.transport === "auto" && { transport: "net" }),
    ...(!expires && { events: false }),
    txPort: txPort > 0 ? txPort : null,
    attach: attached,
  };
}
