import { largest } from '../../diagnostic/index.ts'
import {
  CONTROL_POINTS,
  type Control,
  controlOf,
  type DeclarationForm,
  DOMAIN,
  type Enumeration,
  FILE,
  INPUT_PRIMITIVE,
  INPUT_PRIMITIVE_WORD,
  OUTPUT_PRIMITIVE,
  OUTPUT_TOPOLOGY,
  OUTPUT_TOPOLOGY_WORD,
  PARTITIONING,
  SYSTEM_VALUE,
  TESS_DOMAIN_WORD,
  TESS_OUTPUT_PRIMITIVE_WORD,
  TESS_PARTITIONING_WORD,
  wordOf,
} from '../../isa/index.ts'
import {
  eachOperand,
  formOf,
  type IndexRange,
  type Phase,
  type PhaseKind,
  type ProgramContext,
  parameter,
  place,
  type Site,
} from '../context.ts'
import { countBits, immediateIndex } from '../operand.ts'
import { instructionRule, programRule, type Report, type Rule } from '../rule.ts'

const MAX_SCALARS = 1024
const MAX_VERTICES = 1024
const MAX_CONTROL_POINTS = 32
/** More ranges than registers in all files are damage, reported as overlap. */
const MAX_RANGES = 256

const find = (context: ProgramContext, form: DeclarationForm): Site | undefined =>
  context.sites.find((s) => formOf(s.row) === form)

const ORDER: Readonly<Partial<Record<PhaseKind, number>>> = { declarations: 0, 'control-point': 1, fork: 2, join: 3 }

function checkPhaseOrder(context: ProgramContext, report: Report): void {
  if (context.stage !== 'hull') return
  let before: PhaseKind = 'declarations'
  const first = context.sites[0]
  if (first !== undefined && (first.row.traits.kind !== 'phase' || first.row.traits.phase !== 'declarations')) {
    report('A hull shader starts with its declarations phase.', place(first))
  }
  context.phases.forEach((phase, i) => {
    const rank = ORDER[phase.kind]
    const at = { kind: 'statement', index: phase.start } as const
    if (i === 0) return
    if (rank !== undefined) {
      if (phase.kind === 'declarations') report('This hull shader has a declarations phase already.', at)
      else if (phase.kind === 'control-point' && before === 'control-point') {
        report('This hull shader has a control point phase already.', at)
      } else if (before === 'subroutines' || rank < (ORDER[before] ?? 0)) {
        report('Phases come in the order declarations, control point, fork, join, function bodies.', at)
      }
    }
    before = phase.kind
  })
}

/** A declaration that a stage cannot do without. */
interface Needed {
  readonly stage: string
  readonly form: DeclarationForm
  readonly name: string
}

const NEEDED: readonly Needed[] = [
  { stage: 'geometry', form: 'gs-input-primitive', name: 'input primitive' },
  { stage: 'geometry', form: 'gs-max-output', name: 'largest number of vertices' },
  { stage: 'hull', form: 'input-control-points', name: 'number of input control points' },
  { stage: 'hull', form: 'output-control-points', name: 'number of output control points' },
  { stage: 'hull', form: 'tess-domain', name: 'domain' },
  { stage: 'hull', form: 'tess-partitioning', name: 'partitioning' },
  { stage: 'hull', form: 'tess-output-primitive', name: 'output primitive' },
  { stage: 'domain', form: 'tess-domain', name: 'domain' },
]

const OUTPUT_TOPOLOGY_NEEDED = { stage: 'geometry', form: 'gs-output-topology', name: 'output topology' } as const

interface Choice {
  readonly form: DeclarationForm
  readonly control: Control
  readonly words: Enumeration
  /** Values with a word that cannot be declared. */
  readonly except?: readonly number[]
}

const CHOICES: readonly Choice[] = [
  { form: 'gs-input-primitive', control: INPUT_PRIMITIVE, words: INPUT_PRIMITIVE_WORD, except: [0] },
  { form: 'gs-output-topology', control: OUTPUT_TOPOLOGY, words: OUTPUT_TOPOLOGY_WORD, except: [0] },
  { form: 'tess-domain', control: DOMAIN, words: TESS_DOMAIN_WORD },
  { form: 'tess-partitioning', control: PARTITIONING, words: TESS_PARTITIONING_WORD },
  { form: 'tess-output-primitive', control: OUTPUT_PRIMITIVE, words: TESS_OUTPUT_PRIMITIVE_WORD },
]

/** Scalars of one vertex: those of the stream that has most. */
function vertexScalars(context: ProgramContext): number {
  const perStream = [0, 0, 0, 0]
  const seen = new Set<string>()
  for (const phase of context.phases) {
    for (const d of phase.outputs) {
      const key = `${d.operand.type}:${d.stream}:${d.register}:${d.mask}`
      if (d.operand.type !== FILE.output || seen.has(key)) continue
      seen.add(key)
      perStream[d.stream] = (perStream[d.stream] ?? 0) + countBits(d.mask)
    }
  }
  return largest(0, perStream)
}

function checkVertexCount(context: ProgramContext, report: Report): void {
  const site = find(context, 'gs-max-output')
  if (site === undefined) return
  const count = parameter(site, 'count') ?? 0
  const scalars = vertexScalars(context)
  const instances = find(context, 'gs-instances')
  const runs = instances === undefined ? 1 : (parameter(instances, 'count') ?? 1)
  if (count < 1) report('A geometry shader that emits no vertex at all cannot be declared.', place(site))
  else if (count > MAX_VERTICES) report(`${count} vertices are over ${MAX_VERTICES}.`, place(site))
  else if (count * scalars > MAX_SCALARS) {
    report(`${count} vertices of ${scalars} scalars are ${count * scalars}; ${MAX_SCALARS} are allowed.`, place(site))
  } else if (count * runs > MAX_VERTICES) {
    report(`${count} vertices in ${runs} instances are over ${MAX_VERTICES}.`, place(site))
  }
}

const asFloat = (() => {
  const bits = new DataView(new ArrayBuffer(4))
  return (dword: number): number => {
    bits.setUint32(0, dword)
    return bits.getFloat32(0)
  }
})()

function checkRange(phase: Phase, range: IndexRange, context: ProgramContext, report: Report): void {
  const declared = [...phase.inputs, ...phase.outputs].filter(
    (d) => d.operand.type === range.file && d.register >= range.first && d.register < range.first + range.count,
  )
  if (range.count < 1) report('An index range without a register cannot be indexed.', place(range.site))
  else if (range.first + range.count > 32) {
    report(`Registers ${range.first} to ${range.first + range.count - 1} do not all exist.`, place(range.site))
  } else if (context.stage === 'pixel' && range.file === FILE.output) {
    report('Outputs of a pixel shader cannot be indexed.', place(range.site))
  } else if (declared.length === 0) {
    report('None of the registers of this index range is declared.', place(range.site))
  }
}

/** Ranges of one file and stream that share a register and a component. */
function checkRangeOverlap(phase: Phase, report: Report): void {
  const claimed = new Map<string, number>()
  for (const range of phase.ranges) {
    const last = Math.min(range.first + range.count, 64)
    let clash = 0
    for (let register = range.first; register < last; register++) {
      const key = `${range.file}:${range.stream}:${register}`
      clash |= (claimed.get(key) ?? 0) & range.mask
      claimed.set(key, (claimed.get(key) ?? 0) | range.mask)
    }
    if (clash !== 0) report('Two index ranges overlap.', place(range.site))
  }
}

const LINE_DOMAIN = TESS_DOMAIN_WORD.words.indexOf('domain_isoline')
const LINES = TESS_OUTPUT_PRIMITIVE_WORD.words.indexOf('output_line')
const TRIANGLES = TESS_OUTPUT_PRIMITIVE_WORD.words.indexOf('output_triangle_cw')

const FIRST_PATCH = INPUT_PRIMITIVE_WORD.words.indexOf('patch1')
const VERTICES: Readonly<Record<string, number>> = { point: 1, line: 2, triangle: 3, lineadj: 4, triangleadj: 6 }

/** Vertices of the primitive or patch that a geometry shader reads; undefined where it is not declared. */
function primitiveVertices(context: ProgramContext): number | undefined {
  const site = find(context, 'gs-input-primitive')
  if (site === undefined) return undefined
  const value = controlOf(site.instruction.controls, INPUT_PRIMITIVE)
  return value >= FIRST_PATCH ? value - FIRST_PATCH + 1 : VERTICES[wordOf(INPUT_PRIMITIVE_WORD, value)]
}

function controlPoints(context: ProgramContext, form: DeclarationForm): number | undefined {
  const site = find(context, form)
  return site === undefined ? undefined : controlOf(site.instruction.controls, CONTROL_POINTS)
}

/** How many vertices or control points each register file with a vertex axis has. */
function vertexAxes(context: ProgramContext): ReadonlyMap<number, number> {
  const points = controlPoints(context, 'input-control-points')
  const axes: readonly (readonly [number, number | undefined])[] = [
    [FILE.input, context.stage === 'geometry' ? primitiveVertices(context) : points],
    [FILE['input-control-point'], points],
    [FILE['output-control-point'], controlPoints(context, 'output-control-points')],
  ]
  return new Map(axes.flatMap(([file, count]) => (count === undefined ? [] : [[file, count]])))
}

function checkVertexAxis(context: ProgramContext, report: Report): void {
  if (context.stage === 'pixel' || context.stage === 'vertex' || context.stage === 'compute') return
  const axes = vertexAxes(context)
  eachOperand(context, (operand, slot, site, i) => {
    const count = axes.get(operand.type)
    const vertex = immediateIndex(operand, 0)
    if (count === undefined || vertex === undefined || operand.indices.length !== 2) return
    const isDeclared = slot.role === 'declared'
    if (vertex < count || (isDeclared && vertex === count)) return
    if (formOf(site.row) === 'index-range') return
    const what = isDeclared ? `${vertex} vertices are declared` : `Vertex ${vertex} is read`
    report(`${what}; there are ${count}.`, place(site, i))
  })
}

const FACTOR_DOMAIN: readonly (readonly [string, string])[] = [
  ['finalQuad', 'domain_quad'],
  ['finalTri', 'domain_tri'],
  ['finalLine', 'domain_isoline'],
]

function checkFactorDomain(context: ProgramContext, report: Report): void {
  const site = find(context, 'tess-domain')
  if (site === undefined) return
  const domain = TESS_DOMAIN_WORD.words[controlOf(site.instruction.controls, DOMAIN)]
  for (const phase of context.phases) {
    for (const d of [...phase.inputs, ...phase.outputs]) {
      const word = SYSTEM_VALUE.words[d.systemValue] ?? ''
      const wanted = FACTOR_DOMAIN.find(([prefix]) => word.startsWith(prefix))?.[1]
      if (wanted === undefined || domain === undefined || wanted === domain) continue
      report(`${word} belongs to ${wanted}; this is ${domain}.`, place(d.site, 0))
    }
  }
}

/** 4096 scalars less one control point of 32 registers, which patch constants have (S 10.7). */
const MAX_CONTROL_POINT_SCALARS = 3968

function checkControlPointSize(context: ProgramContext, report: Report): void {
  const phase = context.phases.find((p) => p.kind === 'control-point')
  const count = controlPoints(context, 'output-control-points') ?? 0
  const scalars = (phase?.outputs ?? []).reduce((sum, d) => sum + countBits(d.mask), 0)
  if (phase === undefined || count * scalars <= MAX_CONTROL_POINT_SCALARS) return
  const at = { kind: 'statement', index: phase.start } as const
  const total = `${count} control points of ${scalars} scalars are ${count * scalars}`
  report(`${total}; ${MAX_CONTROL_POINT_SCALARS} are allowed.`, at)
}

/** A geometry shader without outputs makes no primitives: fxc declares no topology for it. */
function needed(context: ProgramContext): readonly Needed[] {
  const hasOutputs = context.phases.some((phase) => phase.outputs.length > 0)
  return context.stage === 'geometry' && hasOutputs ? [...NEEDED, OUTPUT_TOPOLOGY_NEEDED] : NEEDED
}

export const PIPELINE_RULES: readonly Rule[] = [
  programRule('validate-phase-order', checkPhaseOrder),
  programRule('validate-stage-declaration', (context, report) => {
    if (context.damaged) return
    for (const { stage, form, name } of needed(context)) {
      if (context.stage !== stage || find(context, form) !== undefined) continue
      report(`A ${stage} shader declares its ${name}; this one does not.`)
    }
  }),
  instructionRule('validate-stage-choice', ({ sites }, report) => {
    for (const site of sites) {
      const choice = CHOICES.find((c) => c.form === formOf(site.row))
      if (choice === undefined) continue
      const value = controlOf(site.instruction.controls, choice.control)
      if (choice.words.words[value] !== undefined && choice.except?.includes(value) !== true) continue
      report(`${site.row.mnemonic} has value ${value}, which cannot stand there.`, place(site))
    }
  }),
  instructionRule('validate-control-point-count', ({ sites }, report) => {
    for (const site of sites) {
      const form = formOf(site.row)
      if (form !== 'input-control-points' && form !== 'output-control-points') continue
      const count = controlOf(site.instruction.controls, CONTROL_POINTS)
      const least = form === 'input-control-points' ? 1 : 0
      if (count >= least && count <= MAX_CONTROL_POINTS) continue
      report(`${count} control points: ${least} to ${MAX_CONTROL_POINTS} are allowed.`, place(site))
    }
  }),
  programRule('validate-tessellator', (context, report) => {
    const [domain, primitive] = [find(context, 'tess-domain'), find(context, 'tess-output-primitive')]
    if (context.stage !== 'hull' || domain === undefined || primitive === undefined) return
    const isLine = controlOf(domain.instruction.controls, DOMAIN) === LINE_DOMAIN
    const output = controlOf(primitive.instruction.controls, OUTPUT_PRIMITIVE)
    if (isLine && output >= TRIANGLES) report('Isolines cannot be put out as triangles.', place(primitive))
    else if (!isLine && output === LINES) report('Only isolines can be put out as lines.', place(primitive))
  }),
  programRule('validate-pass-through', (context, report) => {
    if (context.stage !== 'hull' || context.phases.some((p) => p.kind === 'control-point')) return
    const [input, output] = [find(context, 'input-control-points'), find(context, 'output-control-points')]
    if (input === undefined || output === undefined) return
    const read = controlOf(input.instruction.controls, CONTROL_POINTS)
    const written = controlOf(output.instruction.controls, CONTROL_POINTS)
    if (written === 0 || written === read) return
    report(`Without a control point phase ${read} control points cannot become ${written}.`, place(output))
  }),
  instructionRule('validate-max-tess-factor', ({ sites }, report) => {
    for (const site of sites) {
      const dword = parameter(site, 'factor')
      if (formOf(site.row) !== 'hs-max-tessfactor' || dword === undefined) continue
      const factor = asFloat(dword)
      if (!(factor >= 1 && factor <= 64)) report(`A largest factor of ${factor} is not within 1 to 64.`, place(site))
    }
  }),
  instructionRule('validate-phase-instances', (context, report) => {
    for (const site of context.sites) {
      const form = formOf(site.row)
      if (form !== 'hs-fork-instances' && form !== 'hs-join-instances') continue
      const kind = context.phases[site.phase]!.kind
      const wanted = form === 'hs-fork-instances' ? 'fork' : 'join'
      if (kind !== wanted) report(`${site.row.mnemonic} stands outside a ${wanted} phase.`, place(site))
      else if (parameter(site, 'count') === 0) report('A phase of no instances does nothing.', place(site))
    }
  }),
  programRule('validate-vertex-count', checkVertexCount),
  programRule('validate-gs-instances', (context, report) => {
    const site = find(context, 'gs-instances')
    const count = site === undefined ? 1 : (parameter(site, 'count') ?? 1)
    if (site !== undefined && (count < 1 || count > 32)) {
      report(`${count} instances: 1 to 32 are allowed.`, place(site))
    }
  }),
  programRule('validate-stream', (context, report) => {
    const declared = new Set<number>()
    for (const site of context.sites) {
      const operand = site.instruction.operands[0]
      if (operand?.type !== FILE.stream) continue
      const stream = immediateIndex(operand, 0) ?? 0
      const isDeclaration = formOf(site.row) === 'stream'
      if (stream > 3) report(`Stream m${stream} does not exist; there are m0 to m3.`, place(site, 0))
      else if (isDeclaration && declared.has(stream)) report(`m${stream} is declared a second time.`, place(site, 0))
      else if (!isDeclaration && !declared.has(stream)) report(`m${stream} is used and not declared.`, place(site, 0))
      if (isDeclaration) declared.add(stream)
    }
  }),
  programRule('validate-stream-emit', (context, report) => {
    if (context.sites.filter((s) => formOf(s.row) === 'stream').length < 2) return
    for (const site of context.sites) {
      if (site.row.traits.kind !== 'stream' || site.row.operands.length > 0) continue
      report(`${site.row.mnemonic} does not say which of the streams it is for.`, place(site))
    }
  }),
  programRule('validate-vertex-axis', checkVertexAxis),
  programRule('validate-tess-factor-domain', checkFactorDomain),
  programRule('validate-control-point-size', checkControlPointSize),
  programRule('validate-stream-topology', (context, report) => {
    const streams = context.sites.filter((s) => formOf(s.row) === 'stream')
    if (streams.length < 2) return
    const points = OUTPUT_TOPOLOGY_WORD.words.indexOf('pointlist')
    for (const site of context.sites) {
      if (formOf(site.row) !== 'gs-output-topology') continue
      if (controlOf(site.instruction.controls, OUTPUT_TOPOLOGY) === points) continue
      report('With more than one stream every stream puts out points.', place(site))
    }
  }),
  programRule('validate-index-range', (context, report) => {
    context.phases.forEach((phase, i) => {
      for (const range of phase.ranges.slice(0, MAX_RANGES)) {
        if (range.site.phase === i) checkRange(phase, range, context, report)
      }
    })
  }),
  programRule('validate-index-range-overlap', ({ phases }, report) => {
    for (const phase of phases) if (phase.kind !== 'subroutines') checkRangeOverlap(phase, report)
  }),
]
