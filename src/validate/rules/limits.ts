import {
  COUNTER,
  controlOf,
  DIMENSION_NUMBER as D,
  DIMENSION,
  FILE,
  INTERPOLATION,
  INTERPOLATION_MODE,
  RASTERIZER_ORDERED,
  RESOURCE_DIMENSION,
  RETURN_TYPE,
  SAMPLER_MODE,
  SAMPLER_MODE_WORD,
} from '../../isa/index.ts'
import { type Binding, formOf, type ProgramContext, parameter, place, type Site } from '../context.ts'
import { instructionRule, programRule, type Report, type Rule } from '../rule.ts'

const MAX_TEMPS = 4096
const MAX_CONSTANTS = 4096
const MAX_STRIDE = 2048
const TGSM_BYTES = 32768
const DOWNLEVEL_TGSM_BYTES = 16384

/** Slots of each kind before Shader Model 5.1, where ranges are bound by tables instead (S 7.5, 22.3). */
function slotLimit(context: ProgramContext, file: number): number | undefined {
  switch (file) {
    case FILE.resource:
      return 128
    case FILE.sampler:
      return 16
    case FILE['constant-buffer']:
      return 15
    case FILE.uav:
      return context.model < 50 ? 8 : 64
    default:
      return undefined
  }
}

const bytesOf = (b: Binding): number => (b.form === 'tgsm-structured' ? b.stride * b.size : b.size)

const isSharedMemory = (b: Binding): boolean => b.form === 'tgsm-raw' || b.form === 'tgsm-structured'

function checkThreadGroup(context: ProgramContext, report: Report): void {
  if (context.stage !== 'compute') return
  const site = context.sites.find((s) => formOf(s.row) === 'thread-group')
  if (site === undefined || context.threadGroup === undefined) {
    if (!context.damaged) report('A compute shader declares its thread group; this one does not.')
    return
  }
  const most = context.model < 50 ? 768 : 1024
  const [x, y, z] = context.threadGroup
  if (x < 1 || y < 1 || z < 1) report(`A thread group of ${x}, ${y}, ${z} has no threads.`, place(site))
  else if (x > most || y > most || z > 64) {
    report(`A thread group of ${x}, ${y}, ${z} is over ${most} in x or y, or over 64 in z.`, place(site))
  } else if (x * y * z > most) report(`A thread group of ${x * y * z} threads is over ${most}.`, place(site))
}

function checkStride(b: Binding, report: Report): void {
  if (b.dimension !== D.structuredBuffer) return
  const isBuffer = !isSharedMemory(b)
  if (b.stride === 0) report('A structure of no bytes cannot be accessed.', place(b.site))
  else if (b.stride % 4 !== 0) report(`A stride of ${b.stride} bytes is not a multiple of 4.`, place(b.site))
  else if (isBuffer && b.stride > MAX_STRIDE) {
    report(`A stride of ${b.stride} bytes is over ${MAX_STRIDE}.`, place(b.site))
  }
}

/** Dimensions of typed unordered access views. */
export const TYPED_UAVS: readonly number[] = [
  D.buffer,
  D.texture1d,
  D.texture2d,
  D.texture3d,
  D.texture1darray,
  D.texture2darray,
]

/** Why a dimension cannot stand in a declaration; undefined where it can. */
function dimensionMismatch(context: ProgramContext, site: Site): string | undefined {
  const form = formOf(site.row)
  const dimension = controlOf(site.instruction.controls, DIMENSION)
  const word = RESOURCE_DIMENSION.words[dimension]
  if (form === 'uav-typed')
    return TYPED_UAVS.includes(dimension) ? undefined : `A typed UAV cannot be a ${word ?? dimension}.`
  if (form !== 'resource') return undefined
  if (word === undefined || dimension > D.texturecubearray)
    return `Dimension ${dimension} is not that of a texture or typed buffer.`
  if (dimension === D.texturecubearray && context.model < 41) return 'Arrays of cubes came with Shader Model 4.1.'
  return undefined
}

const UNUSED = RETURN_TYPE.words.length - 1

/** A declared return type that does not exist, by component. */
function hasInvalidReturnTypes(b: Binding): boolean {
  return [0, 4, 8, 12].some((shift) => {
    const type = (b.returnTypes >>> shift) & 15
    return type < 1 || type > UNUSED
  })
}

const isTyped = (b: Binding): boolean => b.form === 'resource' || b.form === 'uav-typed'

const PER_SAMPLE = ['linear sample', 'linear noperspective sample']

export const LIMIT_RULES: readonly Rule[] = [
  programRule('validate-temp-limit', ({ phases }, report) => {
    for (const phase of phases) {
      const arrays = [...phase.arrays.values()].reduce((sum, a) => sum + a.count, 0)
      const total = phase.tempCount + arrays
      const at = phase.temps[0] ?? [...phase.arrays.values()][0]?.site
      if (total <= MAX_TEMPS || phase.kind === 'subroutines' || at === undefined) continue
      report(`${total} temporary registers are declared, arrays included; ${MAX_TEMPS} are allowed.`, place(at))
    }
  }),
  instructionRule('validate-array-declaration', ({ sites }, report) => {
    for (const site of sites) {
      if (formOf(site.row) !== 'indexable-temp') continue
      const [count, components] = [parameter(site, 'count') ?? 0, parameter(site, 'components') ?? 0]
      if (count === 0) report('An array of no elements cannot be used.', place(site))
      else if (components < 1 || components > 4) report(`An array of ${components} components is none.`, place(site))
    }
  }),
  programRule('validate-slot-limit', (context, report) => {
    if (context.model >= 51) return
    for (const b of context.bindings) {
      const limit = slotLimit(context, b.file)
      if (limit === undefined || b.id < limit) continue
      report(`Slot ${b.id} does not exist; the last is ${limit - 1}.`, place(b.site, 0))
    }
  }),
  programRule('validate-binding-range', ({ bindings }, report) => {
    for (const b of bindings) {
      if (b.lower > b.upper) report(`The range ${b.lower} to ${b.upper} has no register.`, place(b.site, 0))
    }
  }),
  programRule('validate-constant-buffer-size', ({ bindings }, report) => {
    for (const b of bindings) {
      if (b.form !== 'constant-buffer' || b.size <= MAX_CONSTANTS) continue
      report(`A constant buffer of ${b.size} elements is over ${MAX_CONSTANTS}.`, place(b.site, 0))
    }
  }),
  programRule('validate-register-limit', ({ phases, stage }, report) => {
    for (const phase of phases) {
      for (const d of [...phase.inputs, ...phase.outputs]) {
        const limit = stage === 'pixel' && d.operand.type === FILE.output ? 8 : 32
        if (d.operand.indices.length === 0 || d.register < limit) continue
        report(`Register ${d.register} does not exist; the last is ${limit - 1}.`, place(d.site, 0))
      }
    }
  }),
  programRule('validate-thread-group', checkThreadGroup),
  programRule('validate-shared-memory-size', ({ bindings, model }, report) => {
    const shared = bindings.filter(isSharedMemory)
    const total = shared.reduce((sum, b) => sum + bytesOf(b), 0)
    const limit = model < 50 ? DOWNLEVEL_TGSM_BYTES : TGSM_BYTES
    const last = shared[shared.length - 1]
    if (last === undefined || total <= limit) return
    report(`${total} bytes of thread group shared memory are declared; ${limit} are allowed.`, place(last.site))
  }),
  programRule('validate-shared-memory-declaration', ({ bindings }, report) => {
    for (const b of bindings) {
      if (b.form === 'tgsm-raw' && b.size % 4 !== 0) {
        report(`${b.size} bytes of shared memory are not a multiple of 4.`, place(b.site))
      }
      if (isSharedMemory(b) && b.size === 0) report('Shared memory of no bytes cannot be accessed.', place(b.site))
    }
  }),
  programRule('validate-stride', ({ bindings }, report) => {
    for (const b of bindings) checkStride(b, report)
  }),
  instructionRule('validate-declared-dimension', (context, report) => {
    for (const site of context.sites) {
      const why = dimensionMismatch(context, site)
      if (why !== undefined) report(why, place(site))
    }
  }),
  programRule('validate-return-type', ({ bindings }, report) => {
    for (const b of bindings) {
      if (isTyped(b) && hasInvalidReturnTypes(b))
        report('The declaration has a return type that does not exist.', place(b.site))
    }
  }),
  instructionRule('validate-sampler-declaration', ({ sites }, report) => {
    for (const site of sites) {
      const mode = controlOf(site.instruction.controls, SAMPLER_MODE)
      if (formOf(site.row) !== 'sampler' || SAMPLER_MODE_WORD.words[mode] !== undefined) continue
      report(`Sampler mode ${mode} does not exist.`, place(site))
    }
  }),
  instructionRule('validate-interpolation', ({ sites, model }, report) => {
    for (const site of sites) {
      const form = formOf(site.row)
      if (form !== 'input-ps' && form !== 'input-ps-sv') continue
      const mode = controlOf(site.instruction.controls, INTERPOLATION)
      const word = INTERPOLATION_MODE.words[mode]
      if (word === undefined) report(`Interpolation mode ${mode} does not exist.`, place(site))
      else if (form === 'input-ps' && mode === 0) report('The input has no interpolation mode.', place(site))
      else if (model < 41 && PER_SAMPLE.includes(word)) {
        report('Interpolation at samples came with Shader Model 4.1.', place(site))
      }
    }
  }),
  instructionRule('validate-rasterizer-ordered', ({ sites, stage }, report) => {
    if (stage === 'pixel' || stage === undefined) return
    for (const site of sites) {
      if (!site.row.controls.includes(RASTERIZER_ORDERED)) continue
      if (controlOf(site.instruction.controls, RASTERIZER_ORDERED) === 0) continue
      report(`Only pixel shaders have an order to keep; this is a ${stage} shader.`, place(site))
    }
  }),
  instructionRule('validate-downlevel-counter', ({ sites, model }, report) => {
    if (model >= 50) return
    for (const site of sites) {
      if (formOf(site.row) !== 'uav-structured' || controlOf(site.instruction.controls, COUNTER) === 0) continue
      report('UAVs with counters came with Shader Model 5.0.', place(site))
    }
  }),
]
