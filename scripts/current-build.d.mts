export const FOLDERS: readonly string[];
export function hashSources(root: string): string;
export function isCurrent(root: string, sources: string): boolean;
export function recordBuild(root: string, sources: string): void;
