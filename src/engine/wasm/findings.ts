import { rowOfOpcode } from '../../isa/index.ts'
import type { Srv, Uav } from '../../machine/index.ts'
import type { LoadedShader } from '../contract.ts'
import type { Finding, Findings } from '../findings.ts'
import type { BindingUse } from '../lower/bindings.ts'
import { threadComponent } from '../lower/uniformity.ts'
import { RECORD, RECORD_WORDS, type ReportSite } from './emitter.ts'
import type { Kernel } from './kernel.ts'

/**
 * What records of a dispatch say. A record holds a lane of the last wave and the number of all lanes; what
 * Direct3D makes of that lane's address is told of all of them: findings are of waves, not of threads.
 */
export interface RecordContext {
  readonly shader: LoadedShader
  readonly kernel: Kernel
  readonly uses: readonly BindingUse[]
  readonly views: readonly (Srv | Uav | undefined)[]
  readonly records: Int32Array
}

type Judgement = Pick<Finding, 'reason' | 'defined' | 'address' | 'limit'>

/** What is wrong with an address. Atomics that return a value return an undefined one where they are out of bounds. */
function judge(c: RecordContext, site: ReportSite, index: number, offset: number, returns: boolean): Judgement {
  const { space, stride } = site.address
  const structured = site.address.index !== undefined
  if (space.kind === 'tgsm') {
    const byte = offset + (structured ? index * stride : 0)
    if ((offset & 3) !== 0) return { reason: 'misaligned', defined: false, address: offset, limit: 4 }
    return { reason: 'tgsm-bounds', defined: false, address: byte, limit: space.byteLength }
  }
  const view = c.views[space.binding]
  if (view === undefined) return { reason: 'unbound', defined: true, address: structured ? index : offset, limit: 0 }
  if ((offset & 3) !== 0) return { reason: 'misaligned', defined: false, address: offset, limit: 4 }
  const reach = offset + 4 * site.last + 4
  const isTyped = c.uses[space.binding]!.resource?.shape === 'typed'
  if (structured && !isTyped && reach > stride) {
    return { reason: 'structure-offset', defined: false, address: reach - 1, limit: stride }
  }
  const limit = view.shape === 'texture' ? view.levels[0]!.width : structured ? view.elementCount : view.byteLength
  return { reason: 'out-of-bounds', defined: !returns, address: structured ? index : offset, limit }
}

const NAMES = { t: 't', u: 'u', b: 'cb', s: 's' } as const

function findingOf(c: RecordContext, n: number): Finding {
  const site = c.kernel.sites[n]!
  const at = n * RECORD_WORDS
  const word = (name: keyof typeof RECORD): number => c.records[at + RECORD[name]]! >>> 0
  const statement = c.shader.declarations.program.statements[site.statement]!
  const row = statement.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  const operand = row?.operands.findIndex((slot) => slot.role === 'resource' || slot.role === 'memory') ?? 0
  const kind = row?.traits.kind
  const access = kind === 'load' || kind === 'store' || kind === 'atomic' ? kind : 'other'
  const { space } = site.address
  const use = space.kind === 'buffer' ? c.uses[space.binding]! : undefined
  const tgsm = c.shader.declarations.tgsm.find((g) => space.kind === 'tgsm' && g.byteOffset === space.byteOffset)
  const { threads } = c.shader.declarations
  const lane = 31 - Math.clz32(word('lanes') & -word('lanes'))
  const ofLane = (name: 'index' | 'offset'): number => c.records[at + RECORD[name] + lane]! >>> 0
  const flat = word('thread') + lane
  return {
    ...judge(c, site, ofLane('index'), ofLane('offset'), row?.traits.kind === 'atomic' && row.traits.returnsOriginal),
    statement: site.statement,
    operand,
    register: use === undefined ? `g${tgsm?.register ?? 0}` : `${NAMES[use.register]}${use.slot}`,
    access,
    group: [word('groupX'), word('groupY'), word('groupZ')],
    thread: [0, 1, 2].map((axis) => threadComponent(threads, flat, axis)) as unknown as readonly [
      number,
      number,
      number,
    ],
  }
}

/** Findings repeat for each lane, up to a number that takes no time worth mentioning. */
const MOST_REPEATED = 65536

export function addFindings(c: RecordContext, findings: Findings): void {
  for (let n = 0; n < c.kernel.sites.length; n++) {
    const count = c.records[n * RECORD_WORDS + RECORD.count]! >>> 0
    if (count === 0) continue
    const finding = findingOf(c, n)
    for (let i = 0; i < Math.min(count, MOST_REPEATED); i++) findings.add(finding)
  }
}

/** Whether an operation was met that Direct3D leaves undefined. */
export function hasUndefined(c: RecordContext): boolean {
  return c.kernel.sites.some((_, n) => c.records[n * RECORD_WORDS + RECORD.count] !== 0 && !findingOf(c, n).defined)
}
