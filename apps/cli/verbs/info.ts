import { hasErrors, largest } from '../../../src/diagnostic/index.ts'
import {
  type DxbcContainer,
  decodeFeatureInfo,
  decodeStatistics,
  findChunk,
  type Reflection,
  type ReflectionMember,
  type ReflectionVariable,
  readDxbc,
  reflect,
  SHADER_FEATURES,
  type Statistics,
} from '../../../src/dxbc/index.ts'
import { profileName, stageOfNumber } from '../../../src/isa/index.ts'
import { type Program, threadGroupOf } from '../../../src/program/index.ts'
import { shaderIn } from '../../../src/shader/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { COMPILED_SHADERS, inputFiles } from '../inputs.ts'
import { print } from '../print.ts'
import { printDiagnostics, printJson } from '../print-diagnostics.ts'
import { requireContainer } from '../shader-input.ts'

interface ShaderInfo {
  readonly file: string
  readonly profile?: string
  /** Threads of a group in x, y, z, of a compute shader. */
  readonly threadGroup?: readonly number[]
  readonly chunks: readonly { readonly fourcc: string; readonly byteLength: number }[]
  readonly features: readonly string[]
  readonly statistics?: Statistics
  readonly reflection: Reflection
}

function profileOf(program: Program | undefined): string | undefined {
  const stage = program === undefined ? undefined : stageOfNumber(program.stageNumber)
  return stage === undefined || program === undefined ? undefined : profileName(stage, program.major, program.minor)
}

function featuresOf(container: DxbcContainer): readonly string[] {
  const chunk = findChunk(container, 'SFI0')
  const info = chunk === undefined ? undefined : decodeFeatureInfo(chunk.data).value
  if (info === undefined) return []
  return Object.entries(SHADER_FEATURES)
    .filter(([, bit]) => (info.low & bit) !== 0)
    .map(([name]) => name)
}

function infoOf(file: string, container: DxbcContainer): ShaderInfo {
  const program = shaderIn(container).value?.program
  const stat = findChunk(container, 'STAT')
  const statistics = stat === undefined ? undefined : decodeStatistics(stat.data).value
  const profile = profileOf(program)
  const threadGroup = program === undefined ? undefined : threadGroupOf(program)
  return {
    file,
    ...(profile === undefined ? {} : { profile }),
    ...(threadGroup === undefined ? {} : { threadGroup }),
    chunks: container.chunks.map((c) => ({ fourcc: c.fourcc, byteLength: c.data.length })),
    features: featuresOf(container),
    ...(statistics === undefined ? {} : { statistics }),
    reflection: reflect(container).value,
  }
}

/** Rows under a heading, columns as wide as their widest cell, nothing for no rows. */
function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = heads.map((h, c) =>
    largest(
      h.length,
      rows.map((r) => r[c]!.length),
    ),
  )
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, c) => cell.padEnd(widths[c]!)).join('  ')}`.trimEnd()
  return ['', title, line(heads), line(widths.map((w) => '-'.repeat(w))), ...rows.map(line)]
}

function memberRows(m: ReflectionMember, base: number, depth: number): string[][] {
  const offset = base + m.byteOffset
  const name = `${'  '.repeat(depth)}${m.name}${m.elements === undefined ? '' : `[${m.elements}]`}`
  const inner = (m.members ?? []).flatMap((child) => memberRows(child, offset, depth + 1))
  return [[String(offset), m.type, name, '', ''], ...inner]
}

function variableRows(v: ReflectionVariable): string[][] {
  const [first, ...rest] = memberRows(v, 0, 0)
  return [[...first!.slice(0, 3), String(v.byteLength), v.used ? '' : 'unused'], ...rest]
}

function signatureRows(elements: Reflection['inputs']): string[][] {
  return elements.map((e) => [
    `${e.name}${e.semanticIndex === 0 ? '' : e.semanticIndex}`,
    e.register === undefined ? '-' : String(e.register),
    e.mask,
    e.componentType,
    e.stream === undefined || e.stream === 0 ? '' : `stream ${e.stream}`,
  ])
}

const SIGNATURE_HEADS = ['semantic', 'register', 'mask', 'type', '']

/** Statistics that are not zero, `name: value`, as many as fit a line. */
function statisticLines(s: Statistics | undefined): string[] {
  if (s === undefined) return []
  const shown = Object.entries(s.counts).filter(([, v]) => v !== 0)
  return [
    '',
    'Statistics',
    ...shown.map(([name, v]) => `  ${name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)}: ${v}`),
  ]
}

function bindText(r: Reflection['resources'][number]): string {
  const space = r.space === 0 ? '' : `, space ${r.space}`
  if (r.count === 1) return `${r.register}${r.slot}${space}`
  return `${r.register}${r.slot} to ${r.count === undefined ? 'the end' : `${r.register}${r.slot + r.count - 1}`}${space}`
}

/** The whole as people read it. */
function render(info: ShaderInfo): string {
  const r = info.reflection
  const lines = [
    info.file,
    `  profile  ${info.profile ?? 'unknown'}${info.threadGroup === undefined ? '' : `, ${info.threadGroup.join(' x ')} threads`}`,
    ...(r.creator === undefined ? [] : [`  made by  ${r.creator}`]),
    `  chunks   ${info.chunks.map((c) => `${c.fourcc} ${c.byteLength}`).join(', ')}`,
    ...(info.features.length === 0 ? [] : [`  needs    ${info.features.join(', ')}`]),
    ...table(
      'Bindings',
      ['slot', 'name', 'type', 'dimension', 'format', 'stride'],
      r.resources.map((b) => [
        bindText(b),
        b.name,
        b.type,
        b.dimension,
        b.format,
        b.stride === undefined ? '' : String(b.stride),
      ]),
    ),
    ...r.buffers.flatMap((b) =>
      table(
        b.kind === 'interfaces' ? `interfaces ${b.name}` : `${b.kind} ${b.name}, ${b.byteLength} bytes`,
        ['offset', 'type', 'name', 'size', ''],
        b.variables.flatMap(variableRows),
      ),
    ),
    ...table('Inputs', SIGNATURE_HEADS, signatureRows(r.inputs)),
    ...table('Outputs', SIGNATURE_HEADS, signatureRows(r.outputs)),
    ...table('Patch constants', SIGNATURE_HEADS, signatureRows(r.patchConstants)),
    ...statisticLines(info.statistics),
  ]
  return `${lines.join('\n')}\n`
}

/** Bytes as hexadecimal in JSON: default values. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** `heddle info`. */
export async function info(files: readonly string[], options: { readonly json?: boolean }): Promise<void> {
  const all: ShaderInfo[] = []
  const inputs = await inputFiles(files, COMPILED_SHADERS)
  let isFirst = true
  await eachFile(inputs, (path, bytes) => {
    if (!requireContainer(path, bytes)) return EXIT.usage
    const { value, diagnostics } = readDxbc(bytes)
    printDiagnostics(path, diagnostics)
    if (value === undefined || hasErrors(diagnostics)) return EXIT.findings
    const shader = infoOf(path, value)
    if (options.json === true) all.push(shader)
    else print(`${isFirst ? '' : '\n'}${render(shader)}`)
    isFirst = false
    return EXIT.fine
  })
  if (options.json === true) printJson(JSON.parse(JSON.stringify(all, plain)))
}
