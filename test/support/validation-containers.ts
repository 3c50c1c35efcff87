import { parseProgram } from '../../src/asm/parse/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type DxbcChunk,
  encodeChunk,
  makeDxbc,
  SHADER_FEATURES,
  type SignatureElement,
  type SignatureFourcc,
  writeDxbc,
} from '../../src/dxbc/index.ts'
import { encodeProgram } from '../../src/program/index.ts'

/** For each rule about containers the bytes of one that breaks it, and nothing else, and of one that just does not. */
export interface ContainerExample {
  readonly breaks: () => Uint8Array
  readonly holds: () => Uint8Array
}

const code = (text: string): DxbcChunk => ({
  fourcc: 'SHEX',
  data: encodeProgram(valueOrThrow(parseProgram(text, { exact: true }))),
})

const element = (name: string, register: number, mask: number, systemValue = 0): SignatureElement => ({
  ...{ name, semanticIndex: 0, systemValue, componentType: 3, register, mask, readWriteMask: 0 },
})

const signature = (fourcc: SignatureFourcc, ...elements: SignatureElement[]): DxbcChunk => ({
  fourcc,
  data: encodeChunk({ kind: 'signature', fourcc, value: { elements } }),
})

const container = (...chunks: DxbcChunk[]): Uint8Array => writeDxbc(makeDxbc(chunks))

const INPUT = signature('ISGN', element('TEXCOORD', 0, 15))
const OUTPUT = signature('OSGN', element('SV_Target', 0, 15))
const EMPTY = code('ps_5_0\nret')
const READS = (mask: string): DxbcChunk => code(`ps_5_0\ndcl_input_ps linear v0.${mask}\nret`)
const STATISTICS: DxbcChunk = { fourcc: 'STAT', data: new Uint8Array(148) }
const CONSTANTS = signature('PCSG')

const features = (low: number): DxbcChunk => ({
  fourcc: 'SFI0',
  data: encodeChunk({ kind: 'feature-info', value: { low, high: 0 } }),
})

const tampered = (bytes: Uint8Array): Uint8Array => bytes.with(4, bytes[4]! ^ 1)

const position = (systemValue: number): Uint8Array =>
  container(
    signature('ISGN'),
    signature('OSGN', element('SV_Position', 0, 15, systemValue)),
    code('vs_5_0\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,0)\nret'),
  )

export const CONTAINER_EXAMPLES: Readonly<Record<string, ContainerExample>> = {
  'validate-checksum': {
    breaks: () => tampered(container(INPUT, OUTPUT, EMPTY)),
    holds: () => container(INPUT, OUTPUT, EMPTY),
  },
  'validate-code-missing': {
    breaks: () => container(INPUT, OUTPUT, STATISTICS),
    holds: () => container(INPUT, OUTPUT),
  },
  'validate-code-duplicate': {
    breaks: () => container(INPUT, OUTPUT, EMPTY, EMPTY),
    holds: () => container(INPUT, OUTPUT, EMPTY, STATISTICS),
  },
  'validate-feature-info': {
    breaks: () => container(INPUT, OUTPUT, code('ps_5_0\ndcl_uav_raw u8\nret'), features(0)),
    holds: () => container(INPUT, OUTPUT, code('ps_5_0\ndcl_uav_raw u8\nret'), features(SHADER_FEATURES.uav64)),
  },
  'validate-signature-missing': {
    breaks: () => container(INPUT, EMPTY),
    holds: () => container(code('cs_5_0\ndcl_thread_group 1, 1, 1\nret')),
  },
  'validate-signature-duplicate': {
    breaks: () => container(INPUT, OUTPUT, OUTPUT, EMPTY),
    holds: () => container(INPUT, OUTPUT, EMPTY),
  },
  'validate-signature-stage': {
    breaks: () => container(INPUT, OUTPUT, CONSTANTS, EMPTY),
    holds: () => container(INPUT, OUTPUT, CONSTANTS, code('ds_5_0\ndcl_tessellator_domain domain_quad\nret')),
  },
  'validate-signature-register': {
    breaks: () => container(signature('ISGN', element('TEXCOORD', 0, 3)), OUTPUT, READS('xyz')),
    holds: () => container(signature('ISGN', element('TEXCOORD', 0, 7)), OUTPUT, READS('xyz')),
  },
  'validate-signature-system-value': { breaks: () => position(0), holds: () => position(1) },
  'validate-signature-overlap': {
    breaks: () => container(signature('ISGN', element('A', 0, 3), element('B', 0, 6)), OUTPUT, EMPTY),
    holds: () => container(signature('ISGN', element('A', 0, 3), element('B', 0, 12)), OUTPUT, EMPTY),
  },
}
