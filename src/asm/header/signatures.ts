import { NO_REGISTER, type Signature, type SignatureElement } from '../../dxbc/index.ts'
import type { HeaderFacts } from './facts.ts'

/** The column SysValue by D3D_NAME. */
export const SYSTEM_VALUES = new Map<number, string>([
  [0, 'NONE'],
  [1, 'POS'],
  [2, 'CLIPDST'],
  [3, 'CULLDST'],
  [4, 'RTINDEX'],
  [5, 'VPINDEX'],
  [6, 'VERTID'],
  [7, 'PRIMID'],
  [8, 'INSTID'],
  [9, 'FFACE'],
  [10, 'SAMPLE'],
  [11, 'QUADEDGE'],
  [12, 'QUADINT'],
  [13, 'TRIEDGE'],
  [14, 'TRIINT'],
  [15, 'LINEDET'],
  [16, 'LINEDEN'],
  [64, 'TARGET'],
  [65, 'DEPTH'],
  [66, 'COVERAGE'],
  [67, 'DEPTHGE'],
  [68, 'DEPTHLE'],
  [69, 'STENCILREF'],
  [70, 'INNERCOV'],
])
const PRIMITIVE_ID = 7

/** What a pixel shader writes without an output register, by its name in capitals. */
const PIXEL_OUTPUTS = new Map<string, { readonly register: string; readonly systemValue: string }>([
  ['SV_DEPTH', { register: 'oDepth', systemValue: 'DEPTH' }],
  ['SV_DEPTHGREATEREQUAL', { register: 'oDepthGE', systemValue: 'DEPTHGE' }],
  ['SV_DEPTHLESSEQUAL', { register: 'oDepthLE', systemValue: 'DEPTHLE' }],
  ['SV_COVERAGE', { register: 'oMask', systemValue: 'COVERAGE' }],
  // This one text of fxc is wider than its column (ps/stencil_ref).
  ['SV_STENCILREF', { register: '   oStencilRef', systemValue: 'STENCILREF' }],
  // The Direct3D 9 name, which /Gec lets through.
  ['DEPTH', { register: 'oDepth', systemValue: 'DEPTH' }],
])

/** By D3D_REGISTER_COMPONENT_TYPE. */
export const FORMATS = ['unknown', 'uint', 'int', 'float'] as const
/** By D3D_MIN_PRECISION. */
export const MIN_PRECISIONS = new Map<number, string>([
  [1, 'min16f'],
  [2, 'min2_8f'],
  [4, 'min16i'],
  [5, 'min16u'],
])

export type SignatureRole = 'Patch Constant' | 'Input' | 'Output'

export function isWritten(role: SignatureRole, stage: HeaderFacts['stage']): boolean {
  return role === 'Output' || (role === 'Patch Constant' && stage === 'hs')
}

/** By mask: four places, a blank where the component is missing. */
const MASKS: readonly string[] = Array.from({ length: 16 }, (_, mask) =>
  Array.from('xyzw', (letter, i) => ((mask >> i) & 1 ? letter : ' ')).join(''),
)

const maskText = (mask: number): string => MASKS[mask & 15]!

function systemValueText(element: SignatureElement, pixelOutput: boolean): string {
  const named = SYSTEM_VALUES.get(element.systemValue) ?? 'NONE'
  if (!pixelOutput || element.systemValue !== 0) return named
  if (element.register !== NO_REGISTER) return 'TARGET'
  return PIXEL_OUTPUTS.get(element.name.toUpperCase())?.systemValue ?? named
}

function registerText(element: SignatureElement): string {
  if (element.register !== NO_REGISTER) return String(element.register)
  if (element.systemValue === PRIMITIVE_ID) return 'primID'
  return PIXEL_OUTPUTS.get(element.name.toUpperCase())?.register ?? 'special'
}

/**
 * The components in the column Used. The mask of an output names those that are never written, and fxc does not limit
 * its complement to the components that exist (vs/clipplanes).
 */
function usedMask(element: SignatureElement, written: boolean): number {
  return written ? ~element.readWriteMask & 15 : element.readWriteMask & element.mask
}

function row(element: SignatureElement, role: SignatureRole, stage: HeaderFacts['stage'], streams: boolean): string {
  const name = streams ? `m${element.stream ?? 0}:${element.name}` : element.name
  const none = element.register === NO_REGISTER
  const used = usedMask(element, isWritten(role, stage))
  const columns = [
    name.padEnd(20),
    String(element.semanticIndex).padStart(5),
    (none ? 'N/A' : maskText(element.mask)).padStart(6),
    registerText(element).padStart(8),
    systemValueText(element, role === 'Output' && stage === 'ps').padStart(8),
    formatText(element).padStart(7),
    (none ? (used === 0 ? 'NO' : 'YES') : maskText(used)).padStart(6),
  ]
  return `// ${columns.join(' ')}`
}

function formatText(element: SignatureElement): string {
  return MIN_PRECISIONS.get(element.minPrecision ?? 0) ?? FORMATS[element.componentType] ?? 'unknown'
}

/** One signature up to its last row and the `//` after it; without elements there is only the line that says so. */
export function signatureLines(signature: Signature, role: SignatureRole, stage: HeaderFacts['stage']): string[] {
  const { elements } = signature
  // Streams are numbered only where one other than the first is in use (gs/multi_stream).
  const streams = elements.some((element) => (element.stream ?? 0) > 0)
  const head = [
    `// ${role} signature:`,
    '//',
    '// Name                 Index   Mask Register SysValue  Format   Used',
    '// -------------------- ----- ------ -------- -------- ------- ------',
  ]
  if (elements.length === 0) return [...head, `// no ${role}`]
  return [...head, ...elements.map((element) => row(element, role, stage, streams)), '//']
}
