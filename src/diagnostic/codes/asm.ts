import type { CodeInfo } from './code-info.ts'

/** Codes of the room `asm`. */
export const ASM_CODES = {
  'asm-debug-data': {
    severity: 'warning',
    title: 'Debug data that cannot be read',
    explanation:
      'Source lines and variables in a listing come from the debug data: a program database in SPDB, or the older SDBG. What is there does not hold together, so the listing goes without; the shader itself is not affected, as the runtime does not read this part.',
  },
  'asm-syntax': {
    severity: 'error',
    title: 'Text that does not fit here',
    explanation:
      'The assembler expected something else at this place: a comma between operands, a closing bracket, the end of the line. The statement is left out and reading goes on at the next line.',
  },
  'asm-mnemonic': {
    severity: 'error',
    title: 'Unknown instruction',
    explanation:
      'A statement begins with the name of an instruction or declaration of Shader Model 4.0 to 5.1, as the listing of fxc writes it, with suffixes that the instruction takes (`_sat`, `_z`, `_nz`, `_aoffimmi`, `_indexable`). The spellings of the reference pages are accepted too.',
    source: 'functional specification 22',
  },
  'asm-register': {
    severity: 'error',
    title: 'Unknown register',
    explanation:
      'An operand is a register (`r0`, `v1`, `cb0[5]`, `vThreadID`) or a literal (`l(1.000000)`). The letters before the number name no register file of Direct3D 11.',
    source: 'functional specification 7.6',
  },
  'asm-components': {
    severity: 'error',
    title: 'Invalid write mask or swizzle',
    explanation:
      'A destination has a write mask: components in the order xyzw, each at most once. A source has a swizzle of four components, or one selected component. Other letters mean nothing.',
  },
  'asm-index': {
    severity: 'error',
    title: 'Register index that cannot be encoded',
    explanation:
      'A register has up to three indices, each a number, a register component, or the sum of both. Shader Model 5.1 declares bindings as ranges with an identifier: `T0[4:19]`.',
  },
  'asm-number-range': {
    severity: 'error',
    title: 'Number out of range',
    explanation:
      'Numbers are decimal or hexadecimal (`0x`), of at most 32 bits; literals may have a decimal point and an exponent. Fields of a token have fewer bits: a texel offset is from -8 to 7.',
  },
  'asm-literal-size': {
    severity: 'error',
    title: 'Literal of a size that the token format lacks',
    explanation:
      'A 32-bit literal has one component or four, a 64-bit literal one double or two. The token format has nothing in between.',
    source: 'd3d12TokenizedProgramFormat.hpp, OperandToken0',
  },
  'asm-unknown-keyword': {
    severity: 'error',
    title: 'Unknown keyword',
    explanation:
      'A dimension, return type, interpolation mode, system value, flag or other named value is not one that Direct3D has.',
  },
  'asm-operand-count': {
    severity: 'error',
    title: 'Too few or too many operands',
    explanation:
      'Every instruction has a fixed number of operands. Results that are not wanted are written to `null`, not left out.',
  },
  'asm-profile': {
    severity: 'error',
    title: 'No profile, or more than one',
    explanation:
      'A program begins with its profile: the stage (vs, ps, gs, hs, ds, cs) and the shader model, such as `cs_5_0`. How bindings are written and encoded depends on it.',
  },
  'asm-directive': {
    severity: 'error',
    title: 'Directive that cannot be followed',
    explanation:
      'Lines that begin with a point hold what the listing of fxc does not show: chunks, raw tokens, the layout of the container. Here the directive is unknown or its data does not hold together.',
  },
  'asm-literal-inexact': {
    severity: 'warning',
    title: 'Literal that lost bits when it was printed',
    explanation:
      'fxc prints floats with six decimals. This text uses all of them, or prints a tiny number as zero, so the float that was printed is often not the one nearest to the text. A number that shaders are written with and that prints so is taken, such as 1/3, 1/255 or pi, else the nearest float. List the shader with the dialect lossless, or with hexadecimal literals, to have every bit.',
  },
  'asm-literal-ambiguous': {
    severity: 'hint',
    title: 'Literal that several floats print as',
    explanation:
      'fxc prints floats with six decimals, and below 8 several floats print alike: 1.000000 may have been 0.99999994. The float nearest to the text is taken, which for short decimals is nearly always what was meant. From 16 on every float has a text of its own.',
  },
  'asm-integer-literal': {
    severity: 'warning',
    title: 'Integer where the instruction reads floats',
    explanation:
      'A literal without a decimal point is the integer itself, bit for bit, whatever the instruction does with it: `add r0.x, r0.x, l(2)` adds 2.8e-45. Write `l(2.0)` for the number two.',
  },
  'asm-information-lost': {
    severity: 'warning',
    title: 'Information that the listing lacks',
    explanation:
      'For numbers without a name and for custom data without a known form the listing of fxc prints the same text whatever the bits were (`???`, `undecipherable custom data`). The value 0 is taken, or the data is left out. The dialect lossless keeps it.',
  },
  'asm-base': {
    severity: 'error',
    title: 'Base shader that cannot be used',
    explanation:
      'With a base, everything but the code comes from an existing shader: it must be a readable DXBC container with a code chunk.',
  },
  'asm-base-signature': {
    severity: 'warning',
    title: 'Row of a signature that is not taken',
    explanation:
      'With a base, everything but the code comes from the base, its signatures too. The tables in the comments of the text have a row that the base does not have: a register that was added there is not in the shader, and Direct3D refuses a program that declares it. Take a base that has it, or assemble without one.',
  },
  'asm-header': {
    severity: 'warning',
    title: 'Header comment that cannot be read',
    explanation:
      'Without a base shader the signatures and the resource bindings come from the tables in the header comments of the listing. A table that is missing or damaged leaves its chunk out or incomplete.',
  },
  'asm-too-many-errors': {
    severity: 'warning',
    title: 'Parsing stopped',
    explanation:
      'After 100 errors parsing stops: what follows is mostly the echo of the first ones. Fix those and read the text again.',
  },
} as const satisfies Record<string, CodeInfo>
