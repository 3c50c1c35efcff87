/** The lines of a listing's header for a signature; `rows` are its elements by the columns of that table. */
export const signatureText = (title: string, rows: readonly string[]): string[] => [
  `// ${title} signature:`,
  '//',
  '// Name                 Index   Mask Register SysValue  Format   Used',
  '// -------------------- ----- ------ -------- -------- ------- ------',
  ...rows.map((row) => `// ${row}`),
  '//',
]
