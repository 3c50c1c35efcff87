/**
 * Frames for a graphics shader of the corpus: the stages that it needs around it, in assembly, and a description that draws with
 * everything it declares.
 */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { ReflectedElement } from '../../src/dxbc/index.ts'
import { gatherDeclarations, SYSTEM_VALUE_NUMBER } from '../../src/engine/index.ts'
import { frameTemplate, type JobTemplate, loadShader } from '../../src/job/index.ts'
import { corpusFile, corpusFiles } from './corpus.ts'
import { memoryHost } from './jobs.ts'

const COMPONENTS = 'xyzw'
const POSITION = SYSTEM_VALUE_NUMBER.position

interface Row {
  readonly name: string
  readonly index: number
  readonly mask: string
  readonly register: number
  readonly isPosition: boolean
  readonly format: string
}

const NO_ROWS = 'no parameters'

function signatureText(title: string, rows: readonly Row[]): string[] {
  const text = ({ name, index, mask, register, isPosition, format }: Row): string => {
    const own = [...COMPONENTS].map((c) => (mask.includes(c) ? c : ' ')).join('')
    return `// ${name.padEnd(20)} ${`${index}`.padStart(5)}   ${own} ${`${register}`.padStart(8)} ${(isPosition ? 'POS' : 'NONE').padStart(8)} ${format.padStart(7)}   ${own}`
  }
  return [
    `// ${title} signature:`,
    '//',
    '// Name                 Index   Mask Register SysValue  Format   Used',
    '// -------------------- ----- ------ -------- -------- ------- ------',
    ...(rows.length === 0 ? [`// ${NO_ROWS}`] : rows.map(text)),
    '//',
    '//',
  ]
}

/** What a shader takes from the stage before: everything that is not made for it, by register. */
const takenRows = (inputs: readonly ReflectedElement[]): Row[] =>
  inputs.flatMap((e) =>
    e.register === undefined || (e.systemValue !== 0 && e.systemValue !== POSITION)
      ? []
      : [
          {
            name: e.name,
            index: e.semanticIndex,
            mask: e.mask.trim(),
            register: e.register,
            isPosition: e.systemValue === POSITION,
            format: e.componentType,
          },
        ],
  )

/** Components of a source that lie in those of a mask: `mov o1.zw, v2.xxxy`. */
const swizzleTo = (mask: string): string =>
  [...COMPONENTS].map((c) => COMPONENTS[Math.max(0, mask.indexOf(c))]!).join('')

/** A vertex shader that passes on what a shader takes, and a position of its own where that takes none. */
function vertexText(taken: readonly Row[]): string {
  const free = Math.max(-1, ...taken.map((r) => r.register)) + 1
  const own: Row = {
    name: 'SV_Position',
    index: 0,
    mask: COMPONENTS,
    register: free,
    isPosition: true,
    format: 'float',
  }
  const outputs = taken.some((r) => r.isPosition) ? taken : [...taken, own]
  const inputs = outputs.map((r, i): Row => {
    const mask = COMPONENTS.slice(0, r.mask.length)
    return { ...r, name: r.isPosition ? 'POSITION_IN' : r.name, mask, register: i, isPosition: false }
  })
  return [
    ...signatureText('Input', inputs),
    ...signatureText('Output', outputs),
    'vs_5_0',
    'dcl_globalFlags refactoringAllowed',
    ...inputs.map((r) => `dcl_input v${r.register}.${r.mask}`),
    ...outputs.map((r) =>
      r.isPosition ? `dcl_output_siv o${r.register}.${r.mask}, position` : `dcl_output o${r.register}.${r.mask}`,
    ),
    ...outputs.map((r, i) => `mov o${r.register}.${r.mask}, v${i}.${swizzleTo(r.mask)}`),
    'ret',
    '',
  ].join('\n')
}

const POSITION_ROW: Row = {
  ...{ name: 'SV_Position', index: 0, mask: COMPONENTS, register: 0, isPosition: true, format: 'float' },
}

/** A domain shader that puts points where the tessellator has them. */
function domainText(controlPoints: number, domain: string): string {
  return [
    ...signatureText('Input', []),
    ...signatureText('Output', [POSITION_ROW]),
    'ds_5_0',
    `dcl_input_control_point_count ${controlPoints}`,
    `dcl_tessellator_domain domain_${domain}`,
    'dcl_globalFlags refactoringAllowed',
    'dcl_input vDomain.xy',
    'dcl_output_siv o0.xyzw, position',
    'mov o0.xy, vDomain.xyxx',
    'mov o0.zw, l(0, 0, 0.5, 1.0)',
    'ret',
    '',
  ].join('\n')
}

const load = (file: string, bytes: Uint8Array) =>
  valueOrThrow(loadShader({ file, entry: 'main', profile: 'cs_5_0', path: '$' }, memoryHost({ [file]: bytes })))

/** A description as data with its files. */
export interface CompanionFrame {
  readonly stage: string
  readonly job: JobTemplate
  readonly files: Readonly<Record<string, Uint8Array>>
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The hull shader of a domain shader's own name; undefined where the corpus has none. */
function hullOf(name: string): string | undefined {
  const own = name.replace(/^ds\//, 'hs/').replace(/\..*$/, '')
  return corpusFiles().some((f) => f.name === own) ? own : undefined
}

/**
 * A frame that draws with a shader of the corpus; of a domain shader with the hull shader of its name, undefined where there is
 * none.
 */
export function companionFrame(name: string): CompanionFrame | undefined {
  const { bytes } = corpusFile(name)
  const own = load('own.dxbc', bytes)
  const { stage } = valueOrThrow(gatherDeclarations(own.program))
  const files: Record<string, Uint8Array> = { 'own.dxbc': bytes }
  let first = own
  if (stage.kind === 'domain') {
    const hull = hullOf(name)
    if (hull === undefined) return undefined
    files['hull.dxbc'] = corpusFile(hull).bytes
    first = load('hull.dxbc', files['hull.dxbc'])
  }
  if (stage.kind === 'hull')
    files['domain.asm'] = encode(
      domainText(stage.outputControlPointCount, stage.domain === 'triangle' ? 'tri' : stage.domain),
    )
  if (stage.kind !== 'vertex') files['vertex.asm'] = encode(vertexText(takenRows(first.reflection.inputs)))
  const shaders = Object.entries(files).map(([file, data]) => ({ shader: load(file, data), file }))
  const job = valueOrThrow(frameTemplate(shaders, name.replaceAll(/\W/g, '_')))
  return { stage: stage.kind, job, files }
}
