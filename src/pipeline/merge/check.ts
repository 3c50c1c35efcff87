import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { DepthStencilView, RenderTargetView, TargetView } from '../../machine/index.ts'
import type { BlendState, TargetBlend } from '../state.ts'
import { isDualSource, targetBlend } from './blend.ts'

/** What a draw requires of its targets before it runs: sizes and samples that agree, and a blend state that they can have. */

type Named = readonly [name: string, view: TargetView]

const sizeText = (v: TargetView): string => `${v.width}x${v.height}, ${v.arraySize} slice(s)`

function sameSubresources(a: TargetView, b: TargetView): boolean {
  const overlaps =
    a.firstArraySlice < b.firstArraySlice + b.arraySize && b.firstArraySlice < a.firstArraySlice + a.arraySize
  if (a.resource.kind !== 'buffer') return a.storage === b.storage && a.mipSlice === b.mipSlice && overlaps
  const apart = a.byteOffset + a.rowPitch <= b.byteOffset || b.byteOffset + b.rowPitch <= a.byteOffset
  return a.storage === b.storage && !apart
}

/** One target against the first: samples must agree; sizes that differ are undefined in Direct3D (17.14, 17.16). */
function comparePair([firstName, first]: Named, [name, view]: Named): Diagnostic[] {
  if (view.sampleCount !== first.sampleCount) {
    const text = `${firstName} has ${first.sampleCount} sample(s) and ${name} ${view.sampleCount}; all targets of a draw have the same number.`
    return [diagnostic('pipeline-view', text)]
  }
  if (sizeText(view) === sizeText(first)) return []
  const text = `${firstName} is ${sizeText(first)} and ${name} ${sizeText(view)}. Direct3D leaves such a draw undefined; each target takes what lies inside it.`
  return [diagnostic('pipeline-undefined', text)]
}

function checkViews(named: readonly Named[]): Diagnostic[] {
  const [first, ...rest] = named
  if (first === undefined) return []
  const found = rest.flatMap((n) => comparePair(first, n))
  for (const [i, [name, view]] of named.entries()) {
    const other = named.slice(0, i).find((n) => sameSubresources(n[1], view))
    if (other === undefined) continue
    found.push(diagnostic('pipeline-hazard', `${other[0]} and ${name} draw to the same subresource.`))
  }
  return found
}

const DUAL_OPS: ReadonlySet<string> = new Set(['ADD', 'SUBTRACT', 'REV_SUBTRACT'])

function checkTargetBlend(name: string, { format }: RenderTargetView, b: TargetBlend): Diagnostic[] {
  if (b.blendEnable && format.capabilities.blend === 'none') {
    return [diagnostic('pipeline-state', `${name} is ${format.name}, which cannot be blended into (blendEnable).`)]
  }
  if (b.logicOpEnable && format.capabilities.logicOp === 'none') {
    const text = `${name} is ${format.name}; logic operations work on UINT formats alone (logicOpEnable).`
    return [diagnostic('pipeline-state', text)]
  }
  return []
}

/** Rules of the state alone: logic operations are for all targets and exclude blending (17.7.2), dual source has three operations. */
function checkState(blend: BlendState, targetCount: number): Diagnostic[] {
  const found: Diagnostic[] = []
  const entries = blend.independentBlendEnable ? blend.renderTarget : blend.renderTarget.slice(0, 1)
  if (blend.independentBlendEnable && entries.some((b) => b.logicOpEnable)) {
    found.push(diagnostic('pipeline-state', 'logicOpEnable needs independentBlendEnable to be false.'))
  }
  if (entries.some((b) => b.logicOpEnable && b.blendEnable)) {
    found.push(diagnostic('pipeline-state', 'logicOpEnable and blendEnable of one target exclude each other.'))
  }
  const [first] = entries
  if (first === undefined || !isDualSource(first)) return found
  if (targetCount > 1) {
    found.push(diagnostic('pipeline-view', 'Dual source blending draws to render target 0 alone; others are bound.'))
  }
  if (!DUAL_OPS.has(first.blendOp) || !DUAL_OPS.has(first.blendOpAlpha)) {
    found.push(diagnostic('pipeline-state', 'Dual source blending has the operations ADD, SUBTRACT and REV_SUBTRACT.'))
  }
  return found
}

/** What is wrong with the targets of a draw, or with its blend state for them. */
export function checkOutputMerger(
  targets: readonly (RenderTargetView | undefined)[],
  depthStencil: DepthStencilView | undefined,
  blend: BlendState,
): Diagnostic[] {
  const colors = targets.flatMap((view, i) => (view === undefined ? [] : [{ name: `render target ${i}`, view, i }]))
  const named = colors.map(({ name, view }): Named => [name, view])
  return [
    ...checkViews(depthStencil === undefined ? named : [...named, ['the depth buffer', depthStencil]]),
    ...checkState(blend, colors.length),
    ...colors.flatMap(({ name, view, i }) => checkTargetBlend(name, view, targetBlend(blend, i))),
  ]
}
