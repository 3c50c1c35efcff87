import { type Diagnostic, hasErrors, ShaderError, valueOrThrow } from '../../../src/diagnostic/index.ts'
import type { Engine, SharedWork } from '../../../src/engine/index.ts'
import { type Buffer, createSrv, createUav, type Texture, type Uav } from '../../../src/machine/index.ts'
import {
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
  copyRegion,
  copyResource,
  copyStructureCount,
  generateMips,
  resolveTexture,
} from '../../../src/pipeline/index.ts'
import type { FrameTexture, SurfaceCommand } from './model.ts'

/** Runs commands on whole resources of a random frame. */

export interface SurfaceResources {
  readonly memory: Buffer
  /** Buffers of stream output. */
  readonly streams: readonly Buffer[]
  textureOf(t: FrameTexture): Texture
  /** Views with hidden counters that shaders of the frame have. */
  counters(): readonly Uav[]
  readonly work: SharedWork | undefined
  readonly engine: Engine
}

function found(f: SurfaceResources, c: SurfaceCommand): readonly Diagnostic[] {
  switch (c.kind) {
    case 'resolve': {
      const of = (name: FrameTexture['of']): Texture => f.textureOf({ of: name, picture: c.picture })
      return resolveTexture(
        of('spare'),
        { arraySlice: c.to },
        of('target'),
        { arraySlice: c.from },
        undefined,
        f.engine,
      )
    }
    case 'copy':
      return copyResource(f.textureOf(c.to), f.textureOf(c.from))
    case 'copy-region': {
      const { mip, slice: arraySlice, x, y, z } = c.to
      const { box } = c.from
      const source = { mip: c.from.mip, arraySlice: c.from.slice, ...(box === undefined ? {} : { box }) }
      return copyRegion(f.textureOf(c.to), { mip, arraySlice, x, y, z }, f.textureOf(c.from), source)
    }
    case 'copy-bytes': {
      const of = (n: number): Buffer => (n < 0 ? f.memory : f.streams[n]!)
      return copyRegion(of(c.to), { x: c.x }, of(c.from), { box: { left: c.left, right: c.right } })
    }
    case 'copy-count': {
      const views = f.counters()
      return views.length === 0 ? [] : copyStructureCount(f.memory, c.word * 4, views[c.number % views.length]!)
    }
    case 'mips':
      return generateMips(valueOrThrow(createSrv(f.textureOf(c.texture))), f.work)
    case 'clear-view': {
      const view = valueOrThrow(createUav(f.textureOf(c.texture), { mipSlice: c.mip }))
      const clear = c.as === 'float' ? clearUnorderedAccessFloat : clearUnorderedAccessUint
      return clear(view, c.values, f.engine)
    }
  }
}

export function runSurfaceCommand(f: SurfaceResources, c: SurfaceCommand): void {
  const diagnostics = found(f, c)
  if (hasErrors(diagnostics)) throw new ShaderError(diagnostics)
}
