import { FORMATS, type Format, findFormat } from '../../../src/isa/formats/index.ts'

/** Formats that frames draw to. */

export const TARGET_FORMATS: readonly string[] = FORMATS.filter((f) => f.capabilities.renderTarget !== 'none').map(
  (f) => f.name,
)
export const DEPTH_FORMATS: readonly string[] = FORMATS.filter((f) => f.capabilities.depthStencil !== 'none').map(
  (f) => f.name,
)

export const formatOf = (name: string): Format => findFormat(name)!
