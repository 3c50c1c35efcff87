import type { DiagnosticCode } from '../../diagnostic/index.ts'
import {
  type Declarations,
  hasRanges,
  signedText,
  texelText,
  type UndefinedEvent,
  type UndefinedReason,
} from '../../engine/index.ts'
import { DIMENSION_NUMBER } from '../../isa/index.ts'
import type { CheckContext } from '../context.ts'
import type { Finding } from '../report/finding.ts'

/**
 * Accesses out of bounds, misaligned, or to nothing: what Direct3D makes of each, and where hardware is known to do
 * something else. The engine says what it met; this file says what it means.
 */

interface Kind {
  readonly code: DiagnosticCode
  /** What Direct3D makes of the access. */
  readonly load: string
  readonly store: string
  readonly atomic: string
  /** Where hardware differs, if it does. */
  readonly hardware?: string
}

const ZERO = 'the load gives 0'
const DROPPED = 'the store is dropped'
const ATOMIC_LOST = 'memory stays untouched and a returned value is undefined'

const kind = (code: DiagnosticCode, load: string, store: string, atomic: string, hardware?: string): Kind =>
  hardware === undefined ? { code, load, store, atomic } : { code, load, store, atomic, hardware }

const STRUCTURE_INDEX = kind('check-bounds-structure-index', ZERO, DROPPED, ATOMIC_LOST)
const RAW = kind(
  'check-bounds-raw',
  'each dword out of bounds reads 0, the others are loaded',
  'dwords out of bounds are dropped, the others are written',
  ATOMIC_LOST,
  'some hardware drops or clips the whole access when its first or last dword is out of bounds',
)
const ELEMENT = kind('check-bounds-element', ZERO, DROPPED, ATOMIC_LOST)
const TEXEL = kind('check-bounds-texel', 'the load gives 0 in all components', DROPPED, ATOMIC_LOST)
const UNBOUND = kind('check-unbound', ZERO, DROPPED, 'it does nothing and returns 0')
const CALL = kind(
  'check-invalid-call',
  'the outcome is undefined',
  'the outcome is undefined',
  'the outcome is undefined',
)

const NO_DERIVATIVE = 'the result is undefined: neighbors hold older values'
const ENDS = 'the invocation ends'
const UNDEFINED_RESULT = 'the result is undefined'

const BY_REASON: Readonly<Record<Exclude<UndefinedReason, 'out-of-bounds' | 'divergent-barrier'>, Kind>> = {
  'structure-offset': kind(
    'check-bounds-structure-offset',
    'all components of the result are undefined',
    'the contents of the whole UAV are undefined',
    'the contents of the whole UAV are undefined',
    'much hardware checks only the end of the buffer, so the access lands in the next structure; other hardware clips or drops it',
  ),
  'tgsm-bounds': kind(
    'check-bounds-tgsm',
    'the result is undefined',
    'all shared memory of the group is undefined',
    'all shared memory of the group is undefined',
    'some hardware wraps the address, some writes into the shared memory that follows, some drops the access',
  ),
  misaligned: kind(
    'check-misaligned',
    'the result is undefined',
    'the whole UAV, or all shared memory of the group, is undefined',
    'the whole UAV, or all shared memory of the group, is undefined',
    'hardware rounds the address down, or accesses bytes across two dwords',
  ),
  'indexable-temp-bounds': kind(
    'check-bounds-indexable-temp',
    'the result is undefined',
    'the write is undefined',
    'the write is undefined',
    'hardware that keeps x# in registers reads or overwrites other registers',
  ),
  'register-bounds': kind(
    'check-bounds-register',
    'the result is undefined',
    'the write is undefined',
    'the write is undefined',
    'hardware reads or overwrites other registers',
  ),
  'divergent-derivative': kind('check-derivative', NO_DERIVATIVE, NO_DERIVATIVE, NO_DERIVATIVE),
  'max-vertex-count': kind('check-max-vertex-count', ENDS, ENDS, ENDS),
  'sample-index': kind('check-sample-index', UNDEFINED_RESULT, UNDEFINED_RESULT, UNDEFINED_RESULT),
  'constant-buffer-bounds': kind(
    'check-bounds-constant-buffer',
    'it reads 0 in all components',
    DROPPED,
    DROPPED,
    'hardware that checks only the allocation gives whatever lies behind the bound range',
  ),
  'immediate-constant-bounds': kind(
    'check-bounds-immediate-constants',
    'it reads 0 in all components',
    DROPPED,
    DROPPED,
    'some hardware reads other constants there',
  ),
  unbound: UNBOUND,
  'range-bounds': kind(
    'check-bounds-range',
    'the result is undefined',
    'the outcome is undefined',
    'the outcome is undefined',
    'hardware reads whatever descriptor lies there; a device may be lost',
  ),
  subresource: TEXEL,
  interface: CALL,
  'call-depth': CALL,
  'this-bounds': CALL,
  format: kind(
    'check-format',
    'the result is undefined',
    'the outcome is undefined',
    'the outcome is undefined',
    'hardware supports some of what Direct3D does not promise',
  ),
  'no-counter': kind('check-counter-missing', 'it returns 0', 'it does nothing', 'it does nothing and returns 0'),
}

/** What the engine says of an access; the parts of its event that outlive the callback. */
export type BoundsAccess = Omit<UndefinedEvent, 'wave' | 'operand'> & {
  readonly wave: Pick<UndefinedEvent['wave'], 'statement' | 'groupX' | 'groupY' | 'groupZ' | 'firstThread'>
  /** In a draw: the invocation. */
  readonly invocation: string | undefined
}

/** The kind of an address past a view, by how the view's register is declared. */
function outOfBounds(event: Omit<BoundsAccess, 'invocation'>, context: CheckContext): Kind {
  const { uavs, resources } = context.declarations
  const declared = (event.space === 'srv' ? resources : uavs).find((r) => r.id === event.register)
  if (declared?.shape === 'structured') return STRUCTURE_INDEX
  if (declared?.shape === 'raw') return RAW
  return declared === undefined || declared.dimension === DIMENSION_NUMBER.buffer ? ELEMENT : TEXEL
}

const WORDS: Readonly<Record<UndefinedEvent['access'], string>> = {
  load: 'a load from',
  store: 'a store to',
  atomic: 'an atomic on',
  other: 'an access to',
}

const PREFIX: Readonly<Record<UndefinedEvent['space'], string>> = {
  uav: 'u',
  srv: 't',
  tgsm: 'g',
  'constant-buffer': 'cb',
  'immediate-constant-buffer': 'icb',
  'indexable-temp': 'x',
  counter: 'u',
  other: '',
}

const RANGED: ReadonlySet<string> = new Set(['uav', 'srv', 'constant-buffer', 'counter'])

/** How people write a register: `u0`, `g1`, `icb`. */
export function registerText(space: UndefinedEvent['space'], register: number, d: Declarations): string {
  // Bindings of Shader Model 5.1 are named by range identifier, in capitals.
  const prefix = RANGED.has(space) && hasRanges(d.program) ? PREFIX[space].toUpperCase() : PREFIX[space]
  return space === 'immediate-constant-buffer' || register < 0 ? prefix : `${prefix}${register}`
}

function describe(event: BoundsAccess, code: DiagnosticCode, d: Declarations): string {
  const what = `${WORDS[event.access]} ${registerText(event.space, event.register, d)}`
  const { limit } = event
  if (event.texel !== undefined) return `${what} ${texelText(event.texel)}`
  const address = signedText(event.address, limit)
  switch (event.reason) {
    case 'out-of-bounds':
      if (code === 'check-bounds-structure-index') return `${what} names structure ${address} of ${limit}`
      if (code === 'check-bounds-raw') return `${what} at byte ${address} lies past its ${limit} bytes`
      return `${what} names element ${address} of ${limit}`
    case 'structure-offset':
      return `${what} reaches byte ${address} of a structure of ${limit} bytes`
    case 'tgsm-bounds':
      return `${what} at byte ${address} lies past its ${limit} bytes`
    case 'misaligned':
      return `${what} at byte ${address}, which is no multiple of 4`
    case 'indexable-temp-bounds':
    case 'constant-buffer-bounds':
    case 'immediate-constant-bounds':
      return `${what} has index ${address}, of ${limit}`
    case 'register-bounds':
      return `${what} has index ${address}; registers up to ${limit - 1} are declared`
    case 'divergent-derivative':
      return `a derivative of a value that ${address} of 4 pixels computed`
    case 'max-vertex-count':
      return `more than the ${limit} declared vertices are emitted`
    case 'sample-index':
      return `${what} at sample ${address} of ${limit}`
    case 'unbound':
      return `${what}, where nothing is bound`
    case 'range-bounds':
      return `${what} names register ${address}, outside its declared range`
    case 'subresource':
      return `${what} names mip, sample or slice ${address} of ${limit}`
    case 'interface':
      return `a call through an interface pointer (${address}) that has no usable class instance`
    case 'call-depth':
      return `calls nest deeper than ${limit}`
    case 'this-bounds':
      return `this[${address}] is read, of ${limit}`
    case 'format':
      return `${what}: the view's format does not have the operation`
    case 'no-counter':
      return `${what}: the view has no counter`
    case 'divergent-barrier':
      return 'a barrier is reached by a part of the threads'
  }
}

/** The finding of an access that is undefined or dropped; undefined where another detector reports it. */
export function boundsFinding(event: BoundsAccess, context: CheckContext): Finding | undefined {
  const { reason, wave, access } = event
  if (reason === 'divergent-barrier') return undefined
  const k = reason === 'out-of-bounds' ? outOfBounds(event, context) : BY_REASON[reason]
  const effect = access === 'store' ? k.store : access === 'atomic' ? k.atomic : k.load
  const hasBytes = event.space === 'tgsm'
  return {
    code: k.code,
    severity: event.defined ? 'warning' : 'error',
    message: describe(event, k.code, context.declarations),
    site: {
      statement: wave.statement,
      group: [wave.groupX, wave.groupY, wave.groupZ],
      thread: wave.firstThread + event.lane,
      ...(event.invocation === undefined ? {} : { invocation: event.invocation }),
      access,
    },
    memory: {
      space: event.space,
      register: event.register,
      ...(hasBytes ? { byteOffset: Number(signedText(event.address, event.limit)) } : {}),
    },
    notes: [`Direct3D: ${effect}`, ...(k.hardware === undefined ? [] : [`hardware: ${k.hardware}`])],
  }
}

/** The code that an event will have, without putting its finding together. */
export function boundsCode(event: Omit<BoundsAccess, 'invocation'>, context: CheckContext): DiagnosticCode | undefined {
  if (event.reason === 'divergent-barrier') return undefined
  return (event.reason === 'out-of-bounds' ? outOfBounds(event, context) : BY_REASON[event.reason]).code
}
