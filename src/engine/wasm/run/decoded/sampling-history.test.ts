import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../../diagnostic/index.ts'
import { createSrv, createTexture, type TextureSrv } from '../../../../machine/index.ts'
import type { LoadedShader } from '../../../contract.ts'
import { WasmMemory } from '../memory.ts'
import { DecodedTextures } from './decoded-textures.ts'
import { SamplingHistory } from './sampling-history.ts'

const srvOf = (width: number): TextureSrv =>
  valueOrThrow(
    createSrv(valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width, height: width }))),
  ) as TextureSrv

const SHADER = {} as LoadedShader

describe('the history of sampling', () => {
  const decoded = (): DecodedTextures => new DecodedTextures(WasmMemory.create()!)

  it('asks for a copy after draws with many pixels, for the shader and texture of theirs', () => {
    const history = new SamplingHistory(decoded(), false)
    const [view, other] = [srvOf(64), srvOf(64)]
    expect(history.isProfitable(SHADER, view)).toBe(false)
    history.note(SHADER, [view], 1 << 20)
    expect(history.isProfitable(SHADER, view)).toBe(true)
    expect(history.isProfitable(SHADER, other)).toBe(false)
    expect(history.isProfitable({} as LoadedShader, view)).toBe(false)
    // Another view of the texture.
    expect(history.isProfitable(SHADER, valueOrThrow(createSrv(view.resource)) as TextureSrv)).toBe(true)
  })

  it('wants none while draws have fewer pixels than it takes to compare the texture', () => {
    const history = new SamplingHistory(decoded(), false)
    const view = srvOf(512)
    for (let n = 0; n < 100; n++) history.note(SHADER, [view], 512 * 16)
    expect(history.isProfitable(SHADER, view)).toBe(false)
    for (let n = 0; n < 8; n++) history.note(SHADER, [view], 512 * 512)
    expect(history.isProfitable(SHADER, view)).toBe(true)
  })
})

describe('decoded copies', () => {
  it('of textures that are not in use make room for others, and large textures have none', () => {
    const copies = new DecodedTextures(WasmMemory.create()!)
    // 20 bytes a texel: one of 1024 x 1024 fits in 40 MB, two do not.
    const [a, b] = [srvOf(1024), srvOf(1024)]
    expect(copies.hasRoom(srvOf(2048))).toBe(false)
    expect(copies.hasRoom(a)).toBe(true)
    copies.stage(a)!.release()
    expect(copies.hasRoom(b)).toBe(false)
    const small = srvOf(16)
    for (let n = 0; n < 300; n++) copies.stage(small)!.release()
    expect(copies.hasRoom(b)).toBe(true)
  })
})
