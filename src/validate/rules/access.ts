import {
  atomicOperation,
  coordinateCount,
  DIMENSION_NUMBER as D,
  FILE,
  operandFor,
  RESOURCE_DIMENSION,
  RETURN_TYPE,
  type Traits,
  wordOf,
} from '../../isa/index.ts'
import { COMPONENTS_4, type Operand, SELECT_ONE, SELECT_SWIZZLE } from '../../program/index.ts'
import { accessedBinding, type Binding, bindingOf, type ProgramContext, place, type Site } from '../context.ts'
import { componentsRead, countBits, destinationMask, isImmediate, maskText, registerText } from '../operand.ts'
import { instructionRule, programRule, type Rule } from '../rule.ts'
import { TYPED_UAVS } from './limits.ts'

const TYPED_TEXTURES: readonly number[] = [
  D.texture1d,
  D.texture2d,
  D.texture3d,
  D.texturecube,
  D.texture1darray,
  D.texture2darray,
  D.texturecubearray,
]
const PLANAR: readonly number[] = [D.texture2d, D.texture2darray]
const CUBES: readonly number[] = [D.texturecube, D.texturecubearray]
const MULTISAMPLED: readonly number[] = [D.texture2dms, D.texture2dmsarray]
const BUFFERS: readonly number[] = [D.buffer, D.rawBuffer, D.structuredBuffer]

/** Dimensions that an instruction can be used with; undefined: not for this rule. */
function allowedDimensions(traits: Traits, model: number, file: number): readonly number[] | undefined {
  switch (traits.kind) {
    case 'sample':
      return traits.comparison ? TYPED_TEXTURES.filter((d) => d !== D.texture3d) : TYPED_TEXTURES
    case 'gather':
      return traits.programmableOffset ? PLANAR : [...PLANAR, ...CUBES]
    case 'load':
      if (traits.addressing === 'raw') return [D.rawBuffer]
      if (traits.addressing === 'structured') return [D.structuredBuffer]
      if (traits.multisample) return MULTISAMPLED
      return file === FILE.uav ? TYPED_UAVS : [D.buffer, ...TYPED_TEXTURES.filter((d) => !CUBES.includes(d))]
    case 'store':
      if (traits.addressing === 'raw') return [D.rawBuffer]
      return traits.addressing === 'structured' ? [D.structuredBuffer] : TYPED_UAVS
    case 'counter':
      return [D.structuredBuffer]
    case 'query':
      return queryDimensions(traits.query, model)
    default:
      return undefined
  }
}

function queryDimensions(query: string, model: number): readonly number[] | undefined {
  switch (query) {
    case 'bufinfo':
      return BUFFERS
    case 'lod':
      return TYPED_TEXTURES
    case 'samplepos':
    case 'sampleinfo':
      return MULTISAMPLED
    case 'resinfo':
      // Before Shader Model 5.0 there is no bufinfo.
      return model < 50 ? undefined : [...TYPED_TEXTURES, ...MULTISAMPLED]
    default:
      return undefined
  }
}

const dimensionText = (dimension: number): string => wordOf(RESOURCE_DIMENSION, dimension)

/** Where the operand that names the resource or memory is. */
function resourceAt(site: Site): number {
  return site.row.operands.findIndex((slot) => slot.role === 'resource' || slot.role === 'memory')
}

/** Dimension of what an instruction accesses: as declared, else as its own tokens say. */
function dimensionOf(context: ProgramContext, site: Site): number | undefined {
  const declared = accessedBinding(context, site)?.dimension
  if (declared !== undefined && declared !== 0) return declared
  const token = site.instruction.extended.find((e) => e.kind === 'resource-dimension')
  return token?.kind === 'resource-dimension' ? token.dimension : undefined
}

const addressAt = (site: Site): number =>
  site.row.operands.findIndex((slot) => slot.role === 'address' && slot.components === undefined)

/** How many components an address operand can give: a literal as many as it has, a selected component one. */
function componentsGiven(operand: Operand): number {
  if (isImmediate(operand)) return operand.values.length
  return operand.components === COMPONENTS_4 && operand.mode === SELECT_ONE ? 1 : 4
}

/** Kinds of instruction whose address has exactly the components that the declaration says. */
const ADDRESSED: readonly string[] = ['load', 'store', 'atomic']

const UINT = RETURN_TYPE.words.indexOf('uint')
const SINT = RETURN_TYPE.words.indexOf('sint')
const FLOAT = RETURN_TYPE.words.indexOf('float')

function isSameStride(binding: Binding, stride: number): boolean {
  return binding.dimension !== D.structuredBuffer || binding.stride === stride
}

/** Byte offset of a structured access where it is a number, with the bytes that are read or written from there. */
function structuredSpan(
  site: Site,
): { readonly at: number; readonly offset: number; readonly bytes: number } | undefined {
  const { traits } = site.row
  if ((traits.kind !== 'load' && traits.kind !== 'store') || traits.addressing !== 'structured') return undefined
  const at = operandFor(site.row, 'byte-offset')
  const operand = site.instruction.operands[at]
  if (operand === undefined || !isImmediate(operand)) return undefined
  const mask = destinationMask(site.row, site.instruction)
  const resource = site.instruction.operands[resourceAt(site)]
  const components = traits.kind === 'store' ? mask : resource === undefined ? 0 : componentsRead(resource, mask)
  const highest = components === 0 ? 0 : 32 - Math.clz32(components)
  return { at, offset: operand.values[0] ?? 0, bytes: highest * 4 }
}

export const ACCESS_RULES: readonly Rule[] = [
  instructionRule('validate-store-mask', ({ sites }, report) => {
    for (const site of sites) {
      const { traits } = site.row
      const target = site.instruction.operands[0]
      if (traits.kind !== 'store' || target === undefined || target.components !== COMPONENTS_4) continue
      const mask = target.selection & 15
      const isPrefix = mask === 1 || mask === 3 || mask === 7 || mask === 15
      const fits = traits.addressing === 'typed' ? mask === 15 : isPrefix
      const allowed = traits.addressing === 'typed' ? '.xyzw' : '.x, .xy, .xyz or .xyzw'
      if (!fits) report(`${site.row.mnemonic} writes .${maskText(mask)}; it may write ${allowed}.`, place(site, 0))
    }
  }),
  instructionRule('validate-access-dimension', (context, report) => {
    for (const site of context.sites) {
      const at = resourceAt(site)
      const operand = site.instruction.operands[at]
      if (operand === undefined || operand.type === FILE.rasterizer) continue
      const allowed = allowedDimensions(site.row.traits, context.model, operand.type)
      const dimension = dimensionOf(context, site)
      if (allowed === undefined || dimension === undefined || allowed.includes(dimension)) continue
      const what = `${registerText(operand)} is a ${dimensionText(dimension)}`
      report(`${site.row.mnemonic} cannot be used with a ${dimensionText(dimension)}: ${what}.`, place(site, at))
    }
  }),
  instructionRule('validate-resource-tokens', (context, report) => {
    for (const site of context.sites) {
      const binding = accessedBinding(context, site)
      if (binding === undefined || binding.dimension === 0) continue
      for (const e of site.instruction.extended) {
        if (e.kind !== 'resource-dimension') continue
        const declared = dimensionText(binding.dimension)
        if (e.dimension !== binding.dimension) {
          const stated = dimensionText(e.dimension)
          report(`${site.row.mnemonic} says its resource is a ${stated}; it is declared as ${declared}.`, place(site))
        } else if (!isSameStride(binding, e.stride)) {
          report(`${site.row.mnemonic} says a stride of ${e.stride}; ${binding.stride} is declared.`, place(site))
        }
      }
    }
  }),
  instructionRule('validate-sample-offset', (context, report) => {
    for (const site of context.sites) {
      if (!site.instruction.extended.some((e) => e.kind === 'sample-offset')) continue
      const dimension = dimensionOf(context, site)
      if (dimension === undefined || !(CUBES.includes(dimension) || BUFFERS.includes(dimension))) continue
      report(`Texel offsets mean nothing on a ${dimensionText(dimension)}.`, place(site))
    }
  }),
  instructionRule('validate-address-components', (context, report) => {
    for (const site of context.sites) {
      const { traits } = site.row
      const at = addressAt(site)
      const operand = site.instruction.operands[at]
      const dimension = accessedBinding(context, site)?.dimension
      if (operand === undefined || dimension === undefined || !ADDRESSED.includes(traits.kind)) continue
      const needed = coordinateCount(dimension)
      if (needed === undefined || componentsGiven(operand) >= needed) continue
      const text = `${site.row.mnemonic} needs ${needed} address components for a ${dimensionText(dimension)}`
      report(`${text}; ${componentsGiven(operand)} given.`, place(site, at))
    }
  }),
  instructionRule('validate-typed-atomic', (context, report) => {
    for (const site of context.sites) {
      const { traits } = site.row
      const binding = accessedBinding(context, site)
      if (traits.kind !== 'atomic' || binding?.form !== 'uav-typed') continue
      // HLSL has exchanges of floats, and a float is 32 bits as well.
      const allowed = atomicOperation(traits.operation).onFloat32 ? [UINT, SINT, FLOAT] : [UINT, SINT]
      const type = binding.returnTypes & 15
      if (allowed.includes(type)) continue
      const text = `${site.row.mnemonic} needs a UAV declared as uint or sint`
      report(`${text}; this one is declared as ${wordOf(RETURN_TYPE, type)}.`, place(site, resourceAt(site)))
    }
  }),
  programRule('validate-counter-mixed', (context, report) => {
    const directions = new Map<number, string>()
    for (const site of context.sites) {
      const { traits } = site.row
      const operand = site.instruction.operands[1]
      const id = operand?.indices[0]
      if (traits.kind !== 'counter' || operand === undefined || id?.kind !== 'immediate') continue
      // Arrays of buffers are distinguished by the second index, which may come from a register.
      const binding = bindingOf(context, operand)
      if (binding !== undefined && binding.upper !== binding.lower) continue
      const before = directions.get(id.value)
      if (before === undefined) directions.set(id.value, traits.direction)
      else if (before !== traits.direction)
        report('One UAV has both alloc and consume in this program.', place(site, 1))
    }
  }),
  instructionRule('validate-sampler-mode', (context, report) => {
    for (const site of context.sites) {
      const { traits } = site.row
      if (traits.kind !== 'sample' && traits.kind !== 'gather') continue
      const at = site.row.operands.findIndex((slot) => slot.role === 'sampler')
      const operand = site.instruction.operands[at]
      const binding = operand === undefined ? undefined : bindingOf(context, operand)
      if (binding === undefined) continue
      const comparison = binding.samplerMode === 1
      if (traits.comparison === comparison) continue
      const needed = traits.comparison ? 'a comparison sampler' : 'a sampler that does not compare'
      report(`${site.row.mnemonic} needs ${needed}.`, place(site, at))
    }
  }),
  instructionRule('validate-comparison-component', ({ sites }, report) => {
    for (const site of sites) {
      const { traits } = site.row
      if (traits.kind !== 'sample' || !traits.comparison) continue
      const at = resourceAt(site)
      const operand = site.instruction.operands[at]
      if (operand === undefined || operand.components !== COMPONENTS_4) continue
      const isRed = operand.mode === SELECT_SWIZZLE ? operand.selection === 0 : (operand.selection & 3) === 0
      if (!isRed) report(`${site.row.mnemonic} compares the red component; select .xxxx.`, place(site, at))
    }
  }),
  instructionRule('validate-structure-offset', (context, report) => {
    for (const site of context.sites) {
      const span = structuredSpan(site)
      const stride = accessedBinding(context, site)?.stride
      if (span === undefined || stride === undefined || stride === 0) continue
      if (span.offset % 4 !== 0) report(`Byte offset ${span.offset} is not a multiple of 4.`, place(site, span.at))
      else if (span.offset + span.bytes > stride) {
        const text = `Bytes ${span.offset} to ${span.offset + span.bytes - 1} are outside a structure of ${stride} bytes.`
        report(text, place(site, span.at))
      }
    }
  }),
  instructionRule('validate-gather-component', ({ sites, model }, report) => {
    if (model >= 50) return
    for (const site of sites) {
      if (site.row.traits.kind !== 'gather') continue
      const at = site.row.operands.findIndex((slot) => slot.role === 'sampler')
      const operand = site.instruction.operands[at]
      if (operand === undefined || operand.components !== COMPONENTS_4) continue
      const component = operand.selection & 3
      if (operand.mode !== SELECT_ONE || component === 0) continue
      report(`The sampler selects .${maskText(1 << component)}; Shader Model 4.1 gathers red only.`, place(site, at))
    }
  }),
  instructionRule('validate-result-components', ({ sites }, report) => {
    for (const site of sites) {
      if (site.row.traits.kind !== 'alu' || site.row.traits.lanes !== 'pairs') continue
      const [slot] = site.row.operands
      const [dest] = site.instruction.operands
      if (slot === undefined || dest === undefined || slot.type === 'f64' || dest.components !== COMPONENTS_4) continue
      const count = countBits(dest.selection & 15)
      if (count > 2) report(`${site.row.mnemonic} has two results at most; the mask has ${count}.`, place(site, 0))
    }
  }),
]
