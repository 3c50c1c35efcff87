import type { MemoryEvent } from '../../engine/index.ts'
import type { MemoryPlace } from './finding.ts'

/** What a memory event says of one of its addresses, in plain data. */
export function memoryPlace(event: MemoryEvent, byteOffset: number): MemoryPlace {
  const { space, register } = event
  const view = event.view ?? event.views?.find((v) => v !== undefined)
  if (view === undefined || view.kind === 'cbv') return { space, register, byteOffset }
  if (view.shape === 'texture') {
    const level = view.levels[0]!
    const from = byteOffset - level.byteOffset
    const slice = level.slicePitch > 0 ? Math.floor(from / level.slicePitch) : 0
    const inSlice = from - slice * level.slicePitch
    const y = level.rowPitch > 0 ? Math.floor(inSlice / level.rowPitch) : 0
    const x = Math.floor((inSlice - y * level.rowPitch) / event.byteLength)
    const texel = view.levels.length > 1 ? undefined : slice > 0 ? [x, y, slice] : [x, y]
    return texel === undefined ? { space, register } : { space, register, byteOffset, texel }
  }
  const viewByteOffset = view.byteOffset
  const stride = view.shape === 'raw' ? undefined : view.stride
  return { space, register, byteOffset, viewByteOffset, ...(stride === undefined ? {} : { stride }) }
}
