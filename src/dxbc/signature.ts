import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'
import { type ChunkLayout, finishChunk, observedLayout, PAD_BYTE, Placer } from './layout.ts'

/** The fourccs of signatures. The digit is the form of an element: stream (5), stream and precision (1). */
export const SIGNATURE_FOURCCS = ['ISGN', 'ISG1', 'OSGN', 'OSG5', 'OSG1', 'PCSG', 'PSG1'] as const

/** Names of chunks that are signatures. */
export type SignatureFourcc = (typeof SIGNATURE_FOURCCS)[number]

/** Whether a chunk of this name is a signature. */
export function isSignatureFourcc(fourcc: string): fourcc is SignatureFourcc {
  return (SIGNATURE_FOURCCS as readonly string[]).includes(fourcc)
}

/** Component types of a signature element (D3D_REGISTER_COMPONENT_TYPE). */
export const COMPONENT_TYPE = { unknown: 0, uint: 1, int: 2, float: 3 } as const

/** The register number of an element that has none: depth, coverage and the like. */
export const NO_REGISTER = 0xffffffff

/** One element of an input, output or patch constant signature (D3D11_SIGNATURE_PARAMETER_DESC). */
export interface SignatureElement {
  readonly name: string
  readonly semanticIndex: number
  /** D3D_NAME; 0 for the outputs of a pixel shader, whose names say what they are. */
  readonly systemValue: number
  /** COMPONENT_TYPE. */
  readonly componentType: number
  readonly register: number
  /** Components that the element has, bit 0 for x. */
  readonly mask: number
  /** For inputs, the components that are read; for outputs, those that are never written. */
  readonly readWriteMask: number
  /** The two bytes after the masks, where they are not zero. */
  readonly reserved?: number
  /** Geometry shader stream: forms OSG5, ISG1, OSG1, PSG1. */
  readonly stream?: number
  /** D3D_MIN_PRECISION: forms ISG1, OSG1, PSG1. */
  readonly minPrecision?: number
}

/** The elements of a signature chunk. */
export interface Signature {
  readonly elements: readonly SignatureElement[]
  readonly layout?: ChunkLayout
}

const HEADER_BYTES = 8

interface Form {
  readonly stream: boolean
  readonly precision: boolean
  readonly elementBytes: number
}

function formOf(fourcc: SignatureFourcc): Form {
  const precision = fourcc.endsWith('1')
  const stream = precision || fourcc === 'OSG5'
  return { stream, precision, elementBytes: 24 + (stream ? 4 : 0) + (precision ? 4 : 0) }
}

/** A signature part to its model. */
export function decodeSignature(data: Uint8Array, fourcc: SignatureFourcc): Outcome<Signature> {
  const reader = new ByteReader(data)
  const form = formOf(fourcc)
  const [count = 0, at = 0] = reader.dwords(0, 2, 'the header')
  const placer = new Placer(HEADER_BYTES)
  const elements: SignatureElement[] = []
  if (reader.claim(at, count * form.elementBytes, 'the elements')) placer.observe(at, count * form.elementBytes, 4)
  for (let i = 0; i < count && reader.fault === undefined; i++) {
    elements.push(readElement(reader, placer, form, at + i * form.elementBytes))
  }
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const layout = observedLayout(data, placer, 4)
  return outcomeOf(layout === undefined ? { elements } : { elements, layout })
}

function readElement(reader: ByteReader, placer: Placer, form: Form, start: number): SignatureElement {
  const at = start + (form.stream ? 4 : 0)
  const [nameAt = 0, semanticIndex = 0, systemValue = 0, componentType = 0, register = 0] = reader.dwords(
    at,
    5,
    'an element',
  )
  const mask = reader.u8(at + 20, 'an element')
  const readWriteMask = reader.u8(at + 21, 'an element')
  const reserved = reader.u16(at + 22, 'an element')
  const name = reader.text(nameAt, 'the name of an element')
  placer.observe(nameAt, name.length + 1, 1, name)
  return {
    ...{ name, semanticIndex, systemValue, componentType, register, mask, readWriteMask },
    ...(reserved === 0 ? {} : { reserved }),
    ...(form.stream ? { stream: reader.u32(start, 'the stream of an element') } : {}),
    ...(form.precision ? { minPrecision: reader.u32(at + 24, 'the precision of an element') } : {}),
  }
}

/** A signature part from its model: the elements, then each name once, in the order of the elements. */
export function encodeSignature(signature: Signature, fourcc: SignatureFourcc): Uint8Array {
  const form = formOf(fourcc)
  const placer = new Placer(HEADER_BYTES, signature.layout)
  const out = new ByteWriter(PAD_BYTE)
  const start = placer.place(signature.elements.length * form.elementBytes, 4)
  out.dwords(0, [signature.elements.length, start])
  signature.elements.forEach((element, i) => {
    const at = start + i * form.elementBytes + (form.stream ? 4 : 0)
    const nameAt = placer.place(element.name.length + 1, 1, element.name)
    out.text(nameAt, element.name)
    const { semanticIndex, systemValue, componentType, register } = element
    out.dwords(at, [nameAt, semanticIndex, systemValue, componentType, register])
    out.u8(at + 20, element.mask)
    out.u8(at + 21, element.readWriteMask)
    out.u16(at + 22, element.reserved ?? 0)
    if (form.stream) out.u32(at - 4, element.stream ?? 0)
    if (form.precision) out.u32(at + 24, element.minPrecision ?? 0)
  })
  return finishChunk(out, placer, signature.layout, 4)
}
