/** A path of either system with slashes between its parts, for comparisons and for files that are read elsewhere. */
export const withSlashes = (path: string): string => path.replaceAll('\\', '/')
