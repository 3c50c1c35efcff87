import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type Buffer, counterValue, type Uav } from '../../machine/index.ts'

/** CopyStructureCount: the hidden counter of a view to four bytes of a buffer, such as the arguments of an indirect draw; answers what was wrong. */
export function copyStructureCount(destination: Buffer, byteOffset: number, source: Uav): Diagnostic[] {
  const counter = source.shape === 'structured' ? source.counter : undefined
  if (counter === undefined) {
    const text = 'The source has no hidden counter; views of structured buffers have one that are made with a counter.'
    return [diagnostic('pipeline-view', text)]
  }
  const isWhole = Number.isInteger(byteOffset) && byteOffset >= 0 && byteOffset % 4 === 0
  if (!isWhole || byteOffset + 4 > destination.byteLength) {
    const wanted = isWhole ? `end inside of the buffer's ${destination.byteLength} bytes` : 'begin at a multiple of 4'
    const text = `The count at byte ${byteOffset} does not ${wanted}.`
    return [diagnostic('pipeline-view', text, { kind: 'path', path: 'byteOffset' })]
  }
  destination.storage.words[byteOffset / 4] = counterValue(counter)
  return []
}
