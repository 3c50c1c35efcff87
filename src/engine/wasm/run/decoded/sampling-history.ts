import type { TextureSrv } from '../../../../machine/index.ts'
import type { LoadedShader } from '../../../contract.ts'
import type { CopyKind } from '../../../texture/index.ts'
import type { DecodedTextures } from './decoded-textures.ts'

/**
 * Of which textures a pixel shader reads decoded copies: of those that draws with it have sampled for many more pixels than it
 * takes to see, before each draw, that a texture's bytes are still those of the copy. Either way leaves the same bits.
 */

/** Pixels of draws with one shader and texture from which its other code is worth compiling. */
const LEAST_PIXELS = 1 << 18
/** Texels that are compared in the time that one pixel gains. */
const TEXELS_A_PIXEL = 16

/** Pixels of draws with one shader and texture. */
interface Past {
  total: number
  /** Of late, a draw. */
  recent: number
}

export class SamplingHistory {
  /** Copies are read whatever they cost, by all stages. */
  readonly isAlways: boolean
  readonly #decoded: DecodedTextures
  /** By resource: views are often made anew for each draw. */
  readonly #past = new WeakMap<LoadedShader, WeakMap<object, Past>>()

  constructor(decoded: DecodedTextures, isAlways: boolean) {
    this.#decoded = decoded
    this.isAlways = isAlways
  }

  /** Whether a draw with a shader should read a copy of a texture. */
  isProfitable(shader: LoadedShader, view: TextureSrv, kind: CopyKind = 'floats'): boolean {
    if (!this.isAlways) {
      const past = this.#past.get(shader)?.get(view.resource)
      if (past === undefined || past.total < LEAST_PIXELS) return false
      const { width, height } = view.levels[0]!
      if (past.recent * TEXELS_A_PIXEL < width * height * view.arraySize) return false
    }
    return this.#decoded.hasRoom(view, kind === 'codes')
  }

  /** Notes the pixels of a draw that has sampled textures. */
  note(shader: LoadedShader, views: readonly TextureSrv[], pixels: number): void {
    if (views.length === 0 || pixels === 0) return
    let past = this.#past.get(shader)
    if (past === undefined) this.#past.set(shader, (past = new WeakMap()))
    for (const { resource } of views) {
      const known = past.get(resource)
      if (known === undefined) past.set(resource, { total: pixels, recent: pixels })
      else {
        known.total += pixels
        known.recent = (known.recent * 3 + pixels) / 4
      }
    }
  }
}
