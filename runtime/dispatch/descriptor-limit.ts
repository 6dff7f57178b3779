// How many sockets this process can have. A matrix that may need more must not start, because it
// would fail under load, when it is needed most.

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}

/** File descriptors that the process may have open, Infinity where there is no bound. */
export function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as Report;
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isNaN(soft) ? Number.POSITIVE_INFINITY : soft;
}
