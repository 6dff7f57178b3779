// Formats times in service payloads.

/** Formats the time since `sinceMs` as `D:HH:MM:SS`. */
export function duration(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `${days}:${pad(hours)}:${pad(minutes)}:${pad(seconds % 60)}`;
}

/** Formats local time as `YYYY-MM-DD HH:MM:SS`. */
export function timestamp(ms: number): string {
  const at = new Date(ms);
  const date = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${date} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

export function decimals(value: number, places: number): number {
  return Number(value.toFixed(places));
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
