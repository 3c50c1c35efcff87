import {
  controlOf,
  FILE,
  isInModel,
  needsQuad,
  profileName,
  type Requirement,
  SYNC,
  SYNC_TGSM,
  SYNC_THREADS,
  SYNC_UAV_GLOBAL,
  SYNC_UAV_GROUP,
  SYSTEM_VALUE,
  wordOf,
} from '../../isa/index.ts'
import { type Phase, type ProgramContext, place, type RegisterDeclaration, type Site } from '../context.ts'
import { immediateIndex, isImmediate, maskText } from '../operand.ts'
import { instructionRule, programRule, type Report, type Rule } from '../rule.ts'

const FLAG_OF: Readonly<Partial<Record<Requirement, string>>> = {
  double: 'enableDoublePrecisionFloatOps',
  'double-extensions': 'enable11_1DoubleExtensions',
  'shader-extensions': 'enable11_1ShaderExtensions',
}

const SYSTEM = (word: string): number => SYSTEM_VALUE.words.indexOf(word)
const FIRST_TESS_FACTOR = SYSTEM('finalQuadUeq0EdgeTessFactor')
const isTessFactor = (value: number): boolean => value >= FIRST_TESS_FACTOR && value < SYSTEM_VALUE.words.length
const PIXEL_GENERATED = [SYSTEM('is_front_face'), SYSTEM('sampleIndex')]

/** Why a declared system value cannot be there; undefined where it can or nothing forbids it. */
function systemValueMismatch(
  context: ProgramContext,
  phase: Phase,
  d: RegisterDeclaration,
  out: boolean,
): string | undefined {
  const value = d.systemValue
  if (value === 0) return undefined
  if (value >= SYSTEM_VALUE.words.length) return `system value ${value} does not exist`
  const word = wordOf(SYSTEM_VALUE, value)
  const { stage } = context
  if (isTessFactor(value)) {
    const patch = out ? stage === 'hull' && phase.kind !== 'control-point' : d.operand.type === FILE['patch-constant']
    return patch ? undefined : `${word} is patch constant data of hull and domain shaders`
  }
  // A geometry shader may write what it has the pixel shader take for generated.
  if (PIXEL_GENERATED.includes(value) && !out && stage !== 'pixel') return `${word} is an input of pixel shaders`
  if (!out && stage === 'vertex' && !VERTEX_INPUTS.includes(value)) return `a vertex shader has no input ${word}`
  return undefined
}

const VERTEX_INPUTS = [SYSTEM('vertex_id'), SYSTEM('instance_id'), SYSTEM('primitive_id')]

function checkSync(context: ProgramContext, site: Site, report: Report): void {
  const flags = controlOf(site.instruction.controls, SYNC)
  const fences = flags & (SYNC_TGSM | SYNC_UAV_GLOBAL | SYNC_UAV_GROUP)
  if (context.stage !== 'compute' && context.stage !== undefined) {
    if (flags !== SYNC_UAV_GLOBAL) report('Outside compute shaders sync takes _uglobal and nothing else.', place(site))
  } else if ((flags & SYNC_UAV_GLOBAL) !== 0 && (flags & SYNC_UAV_GROUP) !== 0) {
    report('sync takes _uglobal or _ugroup, not both.', place(site))
  } else if (fences === 0) {
    const what = (flags & SYNC_THREADS) !== 0 ? 'Waiting for threads' : 'sync'
    report(`${what} needs a fence as well: _uglobal, _ugroup or _g.`, place(site))
  }
}

export const STAGE_RULES: readonly Rule[] = [
  instructionRule('validate-opcode-model', (context, report) => {
    for (const site of context.sites) {
      if (isInModel(site.row, context.stage, context.model)) continue
      const { major, minor } = site.row.since
      report(`${site.row.mnemonic} came with Shader Model ${major}.${minor}.`, place(site))
    }
  }),
  instructionRule('validate-opcode-stage', (context, report) => {
    const { stage, program } = context
    if (stage === undefined) return
    for (const site of context.sites) {
      if (site.row.stages.includes(stage)) continue
      const profile = profileName(stage, program.major, program.minor)
      report(`${site.row.mnemonic} is for ${site.row.stages.join(' and ')} shaders; this is ${profile}.`, place(site))
    }
  }),
  instructionRule('validate-derivative-stage', (context, report) => {
    if (context.stage === 'pixel' || context.stage === undefined) return
    for (const site of context.sites) {
      if (!needsQuad(site.row)) continue
      report(`${site.row.mnemonic} needs screen derivatives; a ${context.stage} shader has none.`, place(site))
    }
  }),
  instructionRule('validate-feature-flag', (context, report) => {
    for (const site of context.sites) {
      for (const requirement of site.row.requires) {
        const flag = FLAG_OF[requirement]
        if (flag === undefined || context.globalFlags.has(flag)) continue
        const fixes = [{ kind: 'set-flag', word: flag } as const]
        report(`${site.row.mnemonic} needs the global flag ${flag}.`, place(site), [], { fixes })
      }
    }
  }),
  instructionRule('validate-sync-flags', (context, report) => {
    for (const site of context.sites) if (site.row.traits.kind === 'sync') checkSync(context, site, report)
  }),
  programRule('validate-system-value', (context, report) => {
    for (const phase of context.phases) {
      for (const [list, out] of [[phase.inputs, false] as const, [phase.outputs, true] as const]) {
        for (const d of list) {
          const why = systemValueMismatch(context, phase, d, out)
          if (why !== undefined) report(`The declaration cannot stand: ${why}.`, place(d.site, 0))
        }
      }
    }
  }),
  programRule('validate-downlevel-uav', (context, report) => {
    if (context.model >= 50) return
    const uavs = context.bindings.filter((b) => b.file === FILE.uav)
    for (const b of uavs.slice(1))
      report('Compute shaders of Shader Model 4 have one UAV; this is another.', place(b.site))
  }),
  programRule('validate-downlevel-shared-count', (context, report) => {
    const group = context.threadGroup
    if (context.model >= 50 || group === undefined) return
    const threads = group[0] * group[1] * group[2]
    for (const b of context.bindings) {
      if (b.form !== 'tgsm-structured' || b.size === threads) continue
      report(`Shared memory of Shader Model 4 has one structure per thread: ${threads}, not ${b.size}.`, place(b.site))
    }
  }),
  programRule('validate-downlevel-shared-stride', (context, report) => {
    const group = context.threadGroup
    if (context.model >= 50 || group === undefined) return
    const shared = context.bindings.filter((b) => b.form === 'tgsm-structured')
    const total = shared.reduce((sum, b) => sum + b.stride, 0)
    const last = shared[shared.length - 1]
    const threads = group[0] * group[1] * group[2]
    // 16 KB by the number of threads, in whole 16-byte registers, 256 bytes at most (S 18.7.2.8, whose table is
    // 16 bytes stricter at the first counts of some of its rows; compilers differ there).
    const limit = Math.min(256, Math.floor(DOWNLEVEL_BYTES / Math.max(threads, 1) / 16) * 16)
    if (last === undefined || total <= limit) return
    report(
      `A thread of a group of ${threads} has ${limit} bytes of shared memory; ${total} are declared.`,
      place(last.site),
    )
  }),
  instructionRule('validate-downlevel-shared-write', (context, report) => {
    if (context.model >= 50) return
    for (const site of context.sites) {
      const [target, index, offset] = site.instruction.operands
      if (site.row.traits.kind !== 'store' || target?.type !== FILE.tgsm) continue
      const own = index?.type === FILE['thread-id-in-group-flattened']
      if (index !== undefined && !own) {
        report(
          'A thread of Shader Model 4 writes its own structure: index it by vThreadIDInGroupFlattened.',
          place(site, 1),
        )
      } else if (offset !== undefined && !isImmediate(offset)) {
        report('Shader Model 4 writes shared memory at a byte offset that is a number.', place(site, 2))
      }
    }
  }),
  instructionRule('validate-eval-position', (context, report) => {
    for (const site of context.sites) {
      if (site.row.traits.kind !== 'eval') continue
      const input = site.instruction.operands.find((o) => o.type === FILE.input)
      const register = input === undefined ? undefined : immediateIndex(input, 0)
      const declared = context.phases[site.phase]!.inputs.find(
        (d) => d.operand.type === FILE.input && d.register === register && d.systemValue === SYSTEM('position'),
      )
      if (declared === undefined) continue
      report(
        `${site.row.mnemonic} cannot evaluate the position (v${register}.${maskText(declared.mask)}).`,
        place(site),
      )
    }
  }),
]

const DOWNLEVEL_BYTES = 16384
