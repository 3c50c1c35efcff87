import { type Diagnostic, DiagnosticCollector, failure, type Outcome } from '../diagnostic/index.ts'
import {
  type DxbcContainer,
  decodeInterfaces,
  decodeResourceDefinition,
  decodeSignature,
  findCodeChunk,
  isSignatureFourcc,
  type SignatureElement,
  type SignatureFourcc,
} from '../dxbc/index.ts'
import { type Shader, shaderIn } from '../shader/index.ts'
import { type ProgramContext, programContext } from './context.ts'

export type SignatureKind = 'input' | 'output' | 'patch-constant'

/** A container with what its parts say. */
export interface ContainerContext {
  readonly container: DxbcContainer
  /** The program, where there is one. */
  readonly program: ProgramContext | undefined
  /** FourCC of the part that holds the program. */
  readonly codeFourcc: string | undefined
  /** The first signature of each kind that can be decoded. */
  readonly signatures: Readonly<Partial<Record<SignatureKind, readonly SignatureElement[]>>>
  /** Diagnostics of decoding the parts. */
  readonly diagnostics: readonly Diagnostic[]
}

const KIND: Readonly<Record<SignatureFourcc, SignatureKind>> = {
  ISGN: 'input',
  ISG1: 'input',
  OSGN: 'output',
  OSG5: 'output',
  OSG1: 'output',
  PCSG: 'patch-constant',
  PSG1: 'patch-constant',
}

/** What a signature part describes; undefined for other parts. */
export function signatureKind(fourcc: string): SignatureKind | undefined {
  return isSignatureFourcc(fourcc) ? KIND[fourcc] : undefined
}

function inChunk(d: Diagnostic, chunk: string | undefined): Diagnostic {
  return d.place?.kind === 'bytes' && d.place.chunk === undefined && chunk !== undefined
    ? { ...d, place: { ...d.place, chunk } }
    : d
}

const NO_SHADER: Outcome<Shader> = failure([])

/** Parts that describe the program, which no rule reads yet: they must at least decode. */
const DESCRIPTIONS: readonly (readonly [string, (data: Uint8Array) => Outcome<unknown>])[] = [
  ['RDEF', decodeResourceDefinition],
  ['IFCE', decodeInterfaces],
]

export function containerContext(container: DxbcContainer): ContainerContext {
  const diagnostics = new DiagnosticCollector()
  const signatures: Partial<Record<SignatureKind, readonly SignatureElement[]>> = {}
  for (const chunk of container.chunks) {
    const { fourcc } = chunk
    if (!isSignatureFourcc(fourcc)) continue
    const decoded = decodeSignature(chunk.data, fourcc)
    diagnostics.pushAll(decoded.diagnostics.map((d) => inChunk(d, fourcc)))
    if (decoded.value !== undefined) signatures[KIND[fourcc]] ??= decoded.value.elements
  }
  for (const [fourcc, decode] of DESCRIPTIONS) {
    const chunk = container.chunks.find((c) => c.fourcc === fourcc)
    if (chunk !== undefined) diagnostics.pushAll(decode(chunk.data).diagnostics)
  }
  const code = findCodeChunk(container)
  // That there is no program at all is a rule's finding.
  const { value: shader, diagnostics: found } = code === undefined ? NO_SHADER : shaderIn(container)
  diagnostics.pushAll(found.map((d) => inChunk(d, code?.fourcc)))
  return {
    container,
    program: shader && programContext(shader.program),
    codeFourcc: code?.fourcc,
    signatures,
    diagnostics: diagnostics.finish(),
  }
}
