/** What is put around the parts of a listing: nothing, the HTML of fxc /Cc (corpus: cs/alu_float.list-cc), or codes of a terminal. */
export interface Colors {
  /** Before and behind names of instructions and declarations. */
  readonly nameBegin: string
  readonly nameEnd: string
  /** Before and behind the parenthesis of a literal. */
  readonly literalBegin: string
  readonly literalEnd: string
  /** Around the header and the trailer, around the code, and around the whole. */
  readonly commentBegin: string
  readonly codeBegin: string
  readonly partEnd: string
  readonly fileBegin: string
  readonly fileEnd: string
  /** An invisible mark with the number of each instruction. */
  readonly marksInstructions: boolean
}

const font = (color: string): string => `<font color = "#${color}">`

const HTML: Colors = {
  nameBegin: font('ffff40'),
  nameEnd: '</font>',
  literalBegin: font('00ffff'),
  literalEnd: '</font>',
  commentBegin: font('a0a0a0'),
  codeBegin: font('e0e0e0'),
  partEnd: '</font>',
  fileBegin: '<pre><body bgcolor="#000000">',
  fileEnd: '</pre>',
  marksInstructions: true,
}

/** A listing without colors. */
export const NO_COLORS: Colors = {
  nameBegin: '',
  nameEnd: '',
  literalBegin: '',
  literalEnd: '',
  commentBegin: '',
  codeBegin: '',
  partEnd: '',
  fileBegin: '',
  fileEnd: '',
  marksInstructions: false,
}

/** The colors of a name, or those that are given. */
export function colorsOf(colors: 'none' | 'html' | Colors = 'none'): Colors {
  return typeof colors === 'string' ? COLORS[colors] : colors
}

export const COLORS: Readonly<Record<'none' | 'html', Colors>> = { none: NO_COLORS, html: HTML }
