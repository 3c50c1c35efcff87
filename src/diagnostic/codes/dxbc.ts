import type { CodeInfo } from './code-info.ts'

/** Codes of the room `dxbc`. */
export const DXBC_CODES = {
  'dxbc-magic': {
    severity: 'error',
    title: 'Not a DXBC container',
    explanation:
      'Every compiled Direct3D 10 and 11 shader starts with the four characters DXBC. Effects files, Direct3D 9 bytecode and text have other beginnings. Check that the file is the output of the compiler and that nothing was put in front of it.',
  },
  'dxbc-truncated': {
    severity: 'error',
    title: 'Container cut short',
    explanation:
      'The header states the size of the whole container, and fewer bytes are there. The file was cut, or its size field is damaged; the runtime refuses such a shader. Get the whole file again.',
  },
  'dxbc-size': {
    severity: 'error',
    title: 'Impossible container size',
    explanation:
      'The size in the header counts the whole container, the header included, so it cannot be less than the 32 bytes of the header. The field is damaged.',
  },
  'dxbc-version': {
    severity: 'warning',
    title: 'Unusual container version',
    explanation:
      'The dword after the checksum is the version of the container format. It has been 1 in every compiler for Shader Model 4 and 5. Another value is kept and written back, but other readers may refuse the file.',
  },
  'dxbc-chunk-count': {
    severity: 'error',
    title: 'Offset table does not fit',
    explanation:
      'After the header stands a table with the byte offset of each part. The stated number of parts needs more bytes than the container has, so the count is damaged.',
  },
  'dxbc-chunk-range': {
    severity: 'error',
    title: 'Part outside the container',
    explanation:
      'An entry of the offset table, or the size in the header of a part, points outside the container or into its header. Nothing can be read there; the file is damaged.',
  },
  'dxbc-chunk-overlap': {
    severity: 'error',
    title: 'Parts overlap',
    explanation:
      'Two entries of the offset table name the same bytes. No compiler writes that, and a change to one part would change the other, so the container is refused.',
  },
  'dxbc-chunk-decode': {
    severity: 'error',
    title: 'Part cannot be decoded',
    explanation:
      'A count, size or offset inside the part points outside it, a string has no end, types contain themselves, or the same bytes are named so often that decoding would take time out of proportion. The part is kept as bytes where the whole container is decoded, so nothing is lost, but what it describes is not known.',
  },
  'dxbc-chunk-unusual': {
    severity: 'warning',
    title: 'Part kept as raw bytes',
    explanation:
      'The part could not be decoded to a model from which the same bytes can be written again, so its bytes are kept untouched. Listing, editing and validating do not see what is in it.',
  },
} as const satisfies Record<string, CodeInfo>
