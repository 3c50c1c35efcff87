/** What a file is: a compiled shader that Heddle reads, or one of its neighbors, which it names and does not read. */
import { findChunk, isContainer, readDxbc } from '../../../src/dxbc/index.ts'

const EFFECT = { '2.0': 0xfeff0901, '4.0': 0xfeff1001, '4.1': 0xfeff1011, '5.0': 0xfeff2001 } as const

/** Why there is no listing of these bytes, for people; undefined where there is one. */
export function whyNotRead(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'This file is empty.'
  const first = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true)
  const effect = Object.entries(EFFECT).find(([, tag]) => tag === first)
  if (effect !== undefined)
    return `This is an effect of the profile fx_${effect[0].replace('.', '_')}: techniques, passes and state, with shaders inside. Heddle reads single shaders; compile the shaders by themselves (fxc /T vs_5_0, ps_5_0 and so on).`
  if (!isContainer(bytes))
    return 'This is no compiled shader of Direct3D 10 or later: it does not begin with DXBC. Files of Direct3D 9 and texts have other forms.'
  const { value } = readDxbc(bytes)
  if (value !== undefined && findChunk(value, 'DXIL') !== undefined)
    return 'This shader is DXIL (Shader Model 6), which is another format than DXBC. Heddle reads Shader Model 4.0 to 5.1; fxc makes these, and dxc does not.'
  if (value !== undefined && findChunk(value, 'FX10') !== undefined)
    return 'This is an effect in a container: techniques, passes and state, with shaders inside. Heddle reads single shaders.'
  return undefined
}
