import { decodeFeatureInfo, findChunk, SHADER_FEATURES } from '../../dxbc/index.ts'
import { CUSTOM_DATA, FILE, type Stage } from '../../isa/index.ts'
import { type SignatureKind, signatureKind } from '../container-context.ts'
import type { ProgramContext } from '../context.ts'
import { containerRule, type Rule } from '../rule.ts'

const CODE = ['SHDR', 'SHEX']
/** Containers that hold something else than a Direct3D 10 or 11 program, all of them made by the compiler. */
const OTHER_PROGRAMS = ['LIBF', 'LIBH', 'LFS0', 'FX10', 'FX11', 'DXIL', 'ILDB', 'RTS0']
/** Parts that only go with a program. */
const WITH_PROGRAM = ['RDEF', 'STAT', 'SFI0', 'IFCE']

/** Programs that are meant for the debug layer: fxc signs those in another way. */
function isForDebugLayer(program: ProgramContext | undefined): boolean {
  if (program === undefined) return false
  if (program.sites.some((s) => s.row.traits.kind === 'debug')) return true
  return program.program.statements.some((s) => s.kind === 'custom-data' && s.dataClass === CUSTOM_DATA.shaderMessage)
}

const NEEDED: Readonly<Record<Stage, readonly SignatureKind[]>> = {
  vertex: ['input', 'output'],
  pixel: ['input', 'output'],
  geometry: ['input', 'output'],
  hull: ['input', 'output', 'patch-constant'],
  domain: ['input', 'output', 'patch-constant'],
  compute: [],
}

const KINDS: readonly SignatureKind[] = ['input', 'output', 'patch-constant']

const FIRST_EXTENDED_UAV = 8

/** What a program does that only devices with Direct3D 11.1 features can, and the bit that requires them. */
function neededFeatures({ stage, model, bindings }: ProgramContext): readonly (readonly [string, number])[] {
  const uavs = bindings.filter((b) => b.file === FILE.uav)
  if (model !== 50 || uavs.length === 0) return []
  const everywhere = stage !== undefined && stage !== 'pixel' && stage !== 'compute'
  const many = uavs.some((b) => b.id >= FIRST_EXTENDED_UAV)
  return [
    ...(everywhere ? [[`UAVs in a ${stage} shader`, SHADER_FEATURES.uavsAtEveryStage] as const] : []),
    ...(many ? [[`UAV slots from u${FIRST_EXTENDED_UAV} on`, SHADER_FEATURES.uav64] as const] : []),
  ]
}

export const CONTAINER_RULES: readonly Rule[] = [
  containerRule('validate-checksum', ({ container, program }, report) => {
    if (container.checksum.kind === 'computed' || isForDebugLayer(program)) return
    const place = { kind: 'bytes', byteOffset: 4, byteLength: 16 } as const
    report('The checksum in the header is not that of the container.', place, [
      'sign the container again: assembling, or writing it, does so',
    ])
  }),
  containerRule('validate-code-missing', ({ container }, report) => {
    const fourccs = container.chunks.map((c) => c.fourcc)
    if (fourccs.some((f) => CODE.includes(f) || OTHER_PROGRAMS.includes(f))) return
    if (fourccs.length > 0 && !fourccs.some((f) => WITH_PROGRAM.includes(f))) return
    const found = fourccs.length === 0 ? 'has no parts' : `has only ${fourccs.join(', ')}`
    report(`The container ${found}; a shader has its program in a part called SHDR or SHEX.`)
  }),
  containerRule('validate-code-duplicate', ({ container }, report) => {
    const code = container.chunks.filter((c) => CODE.includes(c.fourcc))
    if (code.length < 2) return
    report(`The container has ${code.length} parts with a program (${code.map((c) => c.fourcc).join(', ')}).`)
  }),
  containerRule('validate-feature-info', ({ container, program }, report) => {
    if (program === undefined) return
    const chunk = findChunk(container, 'SFI0')
    const info = chunk === undefined ? undefined : decodeFeatureInfo(chunk.data).value
    for (const [what, bit] of neededFeatures(program)) {
      if (((info?.low ?? 0) & bit) === 0) report(`The program has ${what}; the feature flags (SFI0) do not say so.`)
    }
  }),
  containerRule('validate-signature-missing', ({ container, program }, report) => {
    const stage = program?.stage
    if (stage === undefined) return
    const there = container.chunks.map((c) => signatureKind(c.fourcc))
    for (const kind of NEEDED[stage]) {
      if (!there.includes(kind)) report(`A ${stage} shader has an ${kind} signature; this container has none.`)
    }
  }),
  containerRule('validate-signature-duplicate', ({ container }, report) => {
    for (const kind of KINDS) {
      const same = container.chunks.filter((c) => signatureKind(c.fourcc) === kind)
      if (same.length > 1) {
        report(`The container has ${same.length} ${kind} signatures (${same.map((c) => c.fourcc).join(', ')}).`)
      }
    }
  }),
  containerRule('validate-signature-stage', ({ container, program }, report) => {
    const stage = program?.stage
    if (stage === undefined || stage === 'hull' || stage === 'domain') return
    const chunk = container.chunks.find((c) => signatureKind(c.fourcc) === 'patch-constant')
    if (chunk !== undefined) report(`${chunk.fourcc} describes patch constants; a ${stage} shader has none.`)
  }),
]
