import type { CodeInfo } from './code-info.ts'

/** Codes of the room `source`. */
export const SOURCE_CODES = {
  'source-effort': {
    severity: 'warning',
    title: 'Debug data out of proportion',
    explanation:
      'Debug data repeats the same code, names or variables more often than any compiler writes. Reading stopped there, so that a damaged file costs no more than a sound one; what was read until then is used.',
  },
  'source-mismatch': {
    severity: 'warning',
    title: 'Debug data of another program',
    explanation:
      'A PDB says how many bytes of code it describes. This number is not that of the shader, so that lines and variables would be those of another program. Give the PDB that was written with this shader: its name stands in the part ILDN, where the shader was compiled with /Zss or /Zsb.',
  },
  'source-changed': {
    severity: 'warning',
    title: 'Source file that has changed since',
    explanation:
      'Debug data has the MD5 of each file that was compiled. A file of this name stands beside the shader and has another MD5: it was changed after the shader was compiled. Lines and variables are those of the compiled file, whose text is shown where the debug data holds it.',
  },
  'source-syntax': {
    severity: 'error',
    title: 'Not an expression',
    explanation:
      'Expressions of watches and conditions are written as in HLSL: names of variables and registers, members, swizzles, indices, operators, casts and intrinsics. Behind @ stands a lane (x@17) or all lanes (x@*, inside min, max, sum, any, all or count); behind a last comma the format of the value (x, d, u, f, b, o, h, c).',
  },
  'source-name': {
    severity: 'error',
    title: 'Unknown name in an expression',
    explanation:
      'A name stands for a variable of the function that the frame is in, for a constant, a resource or shared memory, or for a register as the listing writes it (r0, v1, cb0[3], x0[2], vThreadID). Variables of other functions are seen from their own frames. Functions are those of HLSL that need no texture.',
  },
  'source-type': {
    severity: 'error',
    title: 'Types of an expression do not fit',
    explanation:
      'Operators take scalars, vectors and matrices: of the same size, or a scalar beside a vector, which then stands for each component. Structures and arrays have values only in their members. Convert with a cast, such as (float)x, or take the bits as they are with asfloat, asint and asuint.',
  },
  'source-unavailable': {
    severity: 'error',
    title: 'Value not available here',
    explanation:
      'The compiler keeps a variable only while it is used. At this statement, or for this lane, its value is in no register: it has not been computed, it is not needed any more, or the register holds something else since. Look at a statement where it is used, or compile with /Od, which keeps variables longer.',
  },
  'source-lanes': {
    severity: 'error',
    title: 'Lane does not fit',
    explanation:
      'The lane behind @ is the number of a thread of the group, or of an invocation of the batch. All lanes (@*) give many values, so that a function has to make one of them: min, max, sum, any, all or count.',
  },
} as const satisfies Record<string, CodeInfo>
