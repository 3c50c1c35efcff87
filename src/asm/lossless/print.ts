import { type DxbcChunk, type DxbcContainer, decodeChunk, readDxbc, writeDxbc } from '../../dxbc/index.ts'
import { decodeProgram, encodeProgram } from '../../program/index.ts'
import { encodeBase64 } from '../text/base64.ts'
import { CHUNK_FORM, CONTAINER_DIRECTIVE as D, LOSSLESS_MARK, LOSSLESS_VERSION } from '../text/directive-text.ts'
import { bytesText, modelText } from './chunk-text.ts'
import { printExactCode } from './print-code.ts'

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** A fourcc in quotes; what is not printable ASCII escaped. */
function fourccText(fourcc: string): string {
  const escaped = (c: string): string =>
    /[ -~]/.test(c) && c !== '"' && c !== '\\' ? c : `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `"${[...fourcc].map(escaped).join('')}"`
}

/** The program of a code chunk as text; undefined where the chunk has none or encoding it would give other bytes. */
function codeText(chunk: DxbcChunk): string | undefined {
  const program = decodeProgram(chunk.data).value
  if (program === undefined || !sameBytes(encodeProgram(program), chunk.data)) return undefined
  return printExactCode(program)
}

function chunkText(chunk: DxbcChunk): string {
  const begin = `${D.chunk} ${fourccText(chunk.fourcc)}`
  const content = decodeChunk(chunk).value
  if (content.kind === 'program') {
    const code = codeText(chunk)
    if (code !== undefined) return `${begin} ${CHUNK_FORM.code}\n${code}${D.end}\n`
  }
  const model = modelText(content, chunk.fourcc, chunk.data)
  if (model !== undefined) return `${begin} ${content.kind}\n${model}\n${D.end}\n`
  return `${begin} ${CHUNK_FORM.bytes}\n${bytesText(chunk.data)}${D.end}\n`
}

/** The lines that only unusual containers have. */
function frameLines(container: DxbcContainer): readonly string[] {
  const { checksum, version, storageOrder, tail, trailing, chunks } = container
  const lines: string[] = []
  if (checksum.kind === 'stored') lines.push(`${D.checksum} ${encodeBase64(checksum.bytes)}`)
  if (version !== 1) lines.push(`${D.containerVersion} ${version}`)
  if (storageOrder !== undefined) lines.push(`${D.storage} ${storageOrder.join(' ')}`)
  chunks.forEach((chunk, i) => {
    if (chunk.gapBefore !== undefined) lines.push(`${D.gap} ${i} ${encodeBase64(chunk.gapBefore)}`)
  })
  if (tail !== undefined) lines.push(`${D.tail} ${encodeBase64(tail)}`)
  if (trailing !== undefined) lines.push(`${D.trailing} ${encodeBase64(trailing)}`)
  return lines
}

/**
 * A file in the dialect `lossless`: text from which `assemble` alone makes the same bytes again, whatever they are. A
 * container is written part by part (models as JSON, the program as assembly text, the rest in base64); what is no
 * container is written as bytes.
 */
export function printLossless(bytes: Uint8Array): string {
  const mark = `${LOSSLESS_MARK} ${LOSSLESS_VERSION}\n`
  const container = readDxbc(bytes).value
  if (container === undefined || !sameBytes(writeDxbc(container), bytes)) {
    return `${mark}${D.bytes}\n${bytesText(bytes)}${D.end}\n`
  }
  const frame = frameLines(container).map((line) => `${line}\n`)
  return mark + frame.join('') + container.chunks.map(chunkText).join('')
}
