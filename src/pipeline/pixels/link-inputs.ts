import { type Diagnostic, DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import { type EntryDeclaration, type IoDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { RasterizerInputs } from '../geometry.ts'
import { CONSTANT, modeOf, PERSPECTIVE, type TableAttribute } from '../raster/index.ts'

/** What a pixel shader reads of the stage before it: registers link by number and component (functional specification 4.4.3.2). */

const SV = SYSTEM_VALUE_NUMBER

/** A place in a pixel that a declaration names. */
export type Place = 'center' | 'centroid' | 'sample'

/** Where one word of a pixel shader's inputs comes from. */
export type PixelInput = { readonly slotRegister: number; readonly component: number } & (
  | {
      readonly kind: 'attribute'
      readonly word: number
      readonly mode: number
      readonly at: Place
    }
  | { readonly kind: 'position'; readonly at: Place }
  | { readonly kind: 'front-face' | 'sample-index' | 'primitive-id' | 'render-target' | 'viewport' }
  | { readonly kind: 'zero' }
)

export interface PixelLinkage {
  readonly inputs: readonly PixelInput[]
  /** The attributes among them, in the order of tables of primitives. */
  readonly attributes: readonly (TableAttribute & PixelInput)[]
  /** Words of the vertices that are clip distances. */
  readonly clipDistances: readonly number[]
  /** Mode of each word of the vertices, for clipping. */
  readonly modes: Uint8Array
  readonly diagnostics: readonly Diagnostic[]
}

type PixelSource = PixelInput extends infer T
  ? T extends PixelInput
    ? Omit<T, 'slotRegister' | 'component'>
    : never
  : never

function sourceOf(
  d: IoDeclaration,
  component: number,
  written: ReadonlySet<number>,
  hasGeometryShader: boolean,
): PixelSource {
  const word = d.register * 4 + component
  const { mode, at } = modeOf(d.interpolation)
  switch (d.systemValue) {
    case SV.position:
      return { kind: 'position', at }
    case SV.isFrontFace:
      return { kind: 'front-face' }
    case SV.sampleIndex:
      return { kind: 'sample-index' }
    case SV.primitiveId:
      // Behind a geometry shader the value is what that shader wrote.
      if (!hasGeometryShader) return { kind: 'primitive-id' }
      return written.has(word) ? { kind: 'attribute', word, mode: CONSTANT, at: 'center' } : { kind: 'zero' }
    case SV.renderTargetArrayIndex:
      return { kind: 'render-target' }
    case SV.viewportArrayIndex:
      return { kind: 'viewport' }
    default:
      return written.has(word) ? { kind: 'attribute', word, mode, at } : { kind: 'zero' }
  }
}

const COMPONENT = 'xyzw'

/** The number of an attribute in tables of primitives. */
export const attributeNumber = (linkage: PixelLinkage, input: PixelInput): number =>
  linkage.attributes.indexOf(input as PixelLinkage['attributes'][number])

/** Links a pixel shader with the stage before it. */
export function linkPixelShader(
  pixel: EntryDeclaration | undefined,
  outputs: readonly IoDeclaration[],
  stream: number,
  rasterizer: RasterizerInputs,
  hasGeometryShader: boolean,
  registerCount: number,
  writer: string,
): PixelLinkage {
  const modes = new Uint8Array(registerCount * 4)
  for (const word of rasterizer.clipDistances) modes[word] = PERSPECTIVE
  const written = new Set<number>()
  for (const d of outputs) {
    if (d.file !== FILE.output || d.stream !== stream) continue
    for (let c = 0; c < 4; c++) if ((d.mask & (1 << c)) !== 0) written.add(d.register * 4 + c)
  }
  const inputs: PixelInput[] = []
  const found = new DiagnosticCollector()
  for (const d of pixel?.inputs ?? []) {
    if (d.file !== FILE.input) continue
    const missing: string[] = []
    for (let c = 0; c < 4; c++) {
      if ((d.mask & (1 << c)) === 0) continue
      const source = sourceOf(d, c, written, hasGeometryShader)
      if (source.kind === 'zero') missing.push(COMPONENT[c]!)
      if (source.kind === 'attribute' && source.mode !== CONSTANT) modes[source.word] = source.mode
      inputs.push({ ...source, slotRegister: d.register, component: c })
    }
    if (missing.length > 0) {
      const text = `the pixel shader reads v${d.register}.${missing.join('')}, which the ${writer} shader does not write; it reads 0`
      found.push(diagnostic('pipeline-linkage-missing', text, { kind: 'statement', index: d.statement }))
    }
  }
  const attributes = inputs.flatMap((i) => (i.kind === 'attribute' ? [i] : []))
  const { clipDistances } = rasterizer
  return { inputs, attributes, clipDistances, modes, diagnostics: found.finish() }
}
