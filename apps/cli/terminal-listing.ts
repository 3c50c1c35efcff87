/** Listings in colors for terminals: those parts that fxc /Cc colors. Used by `heddle dis`. */
import { type Colors, NO_COLORS } from '../../src/asm/index.ts'
import { colorsFor } from './terminal.ts'

type Painter = (text: string) => string

/** What a painter puts before and behind a text. */
function around(paint: Painter): readonly [string, string] {
  const [before = '', behind = ''] = paint('\0').split('\0')
  return [before, behind]
}

/** Names of instructions yellow and literals cyan, as in fxc's HTML. Comments are painted line by line. */
export function terminalColors(): Colors {
  const c = colorsFor(process.stdout)
  const [nameBegin, nameEnd] = around(c.yellow)
  const [literalBegin, literalEnd] = around(c.cyan)
  return { ...NO_COLORS, nameBegin, nameEnd, literalBegin, literalEnd }
}

/** Comment lines in gray, each for itself: pagers end a color with its line. */
export function withGrayComments(listing: string): string {
  const { gray } = colorsFor(process.stdout)
  return listing.replace(/^[^\S\n]*\/\/.*$/gm, (line) => gray(line))
}
