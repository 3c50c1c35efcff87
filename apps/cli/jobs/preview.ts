/** Pictures in a terminal: as an image where the terminal takes one, else half blocks in 24-bit color. */
import { encodePng } from '../../../src/host/png/index.ts'
import type { Image } from '../../../src/job/index.ts'

/** What a terminal can show. */
type PreviewProtocol = 'kitty' | 'iterm' | 'blocks'

/** Kitty's and iTerm's protocols where the terminal says that it has them; never in a pipe. */
export function previewProtocol(isTerminal: boolean, env: NodeJS.ProcessEnv = process.env): PreviewProtocol {
  if (!isTerminal || env.TMUX !== undefined) return 'blocks'
  if (env.KITTY_WINDOW_ID !== undefined || env.TERM === 'xterm-kitty' || env.TERM_PROGRAM === 'ghostty') return 'kitty'
  return env.TERM_PROGRAM === 'iTerm.app' || env.TERM_PROGRAM === 'WezTerm' ? 'iterm' : 'blocks'
}

const ESCAPE = '\x1b'
/** Base64 that one message of Kitty's protocol may hold. */
const KITTY_CHUNK = 4096

function kittyText(png: Uint8Array): string {
  const data = Buffer.from(png).toString('base64')
  const parts: string[] = []
  for (let at = 0; at < data.length; at += KITTY_CHUNK) {
    const isLast = at + KITTY_CHUNK >= data.length
    const keys = at === 0 ? `a=T,f=100,m=${isLast ? 0 : 1}` : `m=${isLast ? 0 : 1}`
    parts.push(`${ESCAPE}_G${keys};${data.slice(at, at + KITTY_CHUNK)}${ESCAPE}\\`)
  }
  return parts.join('')
}

function itermText(png: Uint8Array): string {
  return `${ESCAPE}]1337;File=inline=1;size=${png.length}:${Buffer.from(png).toString('base64')}\x07`
}

type Rgb = readonly [number, number, number]

/** The mean of the pixels that a cell of a smaller picture covers. */
function cellColor(image: Image, x: number, y: number, columns: number, rows: number): Rgb {
  const from = (n: number, size: number, count: number): number => Math.floor((n * size) / count)
  const [left, top] = [from(x, image.width, columns), from(y, image.height, rows)]
  const right = Math.max(left + 1, from(x + 1, image.width, columns))
  const bottom = Math.max(top + 1, from(y + 1, image.height, rows))
  const sum = [0, 0, 0]
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const at = (row * image.width + column) * 4
      for (let c = 0; c < 3; c++) sum[c] = sum[c]! + image.pixels[at + c]!
    }
  }
  const count = (right - left) * (bottom - top)
  return [Math.round(sum[0]! / count), Math.round(sum[1]! / count), Math.round(sum[2]! / count)]
}

/** Upper half blocks: the character in the color of the upper cell, behind it that of the lower. */
export function halfBlocks(image: Image, width: number): string[] {
  const columns = Math.max(1, Math.min(width, image.width))
  const rows = Math.max(1, Math.round((image.height * columns) / image.width))
  const lines: string[] = []
  for (let y = 0; y < rows; y += 2) {
    let line = ''
    for (let x = 0; x < columns; x++) {
      const upper = cellColor(image, x, y, columns, rows).join(';')
      const lower = y + 1 < rows ? `${ESCAPE}[48;2;${cellColor(image, x, y + 1, columns, rows).join(';')}m` : ''
      line += `${ESCAPE}[38;2;${upper}m${lower}\u2580${lower === '' ? '' : `${ESCAPE}[49m`}`
    }
    lines.push(`${line}${ESCAPE}[0m`)
  }
  return lines
}

const DEFAULT_COLUMNS = 80

/** The lines that show an image of 8 bits on a stream. */
export function previewLines(image: Image, stream: { readonly isTTY?: boolean; readonly columns?: number }): string[] {
  const protocol = previewProtocol(stream.isTTY === true)
  if (protocol === 'blocks') return halfBlocks(image, stream.columns ?? DEFAULT_COLUMNS)
  const png = encodePng(image)
  return [protocol === 'kitty' ? kittyText(png) : itermText(png)]
}
