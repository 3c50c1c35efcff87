/** What time lines say of words that nothing wrote, against the writes themselves and against runs that begin with other bits. */
import { createTimeLine, type TimeLine } from '../../../src/debug/index.ts'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import type { RegisterPlace, WaveState } from '../../../src/engine/index.ts'
import { Random } from '../random/random.ts'
import { placesOf } from './digest.ts'
import type { WalkedRun } from './moments.ts'
import { copyContents } from './state.ts'

const [TEMP, INDEXABLE] = [0, 3]

const registerKey = (group: string, thread: number, { file, indices, component }: RegisterPlace): string =>
  `${group} ${thread} ${file} ${indices.join()} ${component}`
const sharedKey = (group: string, byteOffset: number): string => `${group} g ${byteOffset}`

/** By word: the clock from which on it had been written, gathered step by step from what each statement wrote. */
async function firstWrites(line: TimeLine, end: number): Promise<ReadonlyMap<string, number>> {
  const first = new Map<string, number>()
  const { tgsm } = line.source.loaded.declarations
  for (let clock = 1; clock <= end; clock++) {
    await line.goTo(clock)
    const done = (await line.effects())!
    const group = done.group.join()
    const note = (key: string): void => void (first.has(key) || first.set(key, clock))
    for (const w of done.registers) note(registerKey(group, done.firstThread + w.lane, w.place))
    for (const m of done.memory) {
      const base = tgsm.find((t) => t.register === m.register)?.byteOffset ?? 0
      if (m.space !== 'tgsm' || m.access === 'load') continue
      for (const at of m.byteOffsets) if (at >= 0) note(sharedKey(group, base + at))
    }
  }
  return first
}

/** Every register word of the lanes of a moment. */
function* wordsOf(line: TimeLine): Generator<{ wave: WaveState; lane: number; place: RegisterPlace }> {
  const places = placesOf(line.source.loaded).filter(({ file }) => file === TEMP || file === INDEXABLE)
  for (const { waves } of line.groups)
    for (const wave of waves)
      for (const place of places) for (let lane = 0; lane < wave.laneCount; lane++) yield { wave, lane, place }
}

/** What is said to be never written must be what no statement has written. */
function wrongNever(line: TimeLine, first: ReadonlyMap<string, number>, kinds: Set<string>): string | undefined {
  const { clock, undefinedMoment: moment } = line
  if (moment === undefined) return `at ${clock} nothing is known`
  const isNever = (key: string): boolean => (first.get(key) ?? Number.POSITIVE_INFINITY) > clock
  for (const { wave, lane, place } of wordsOf(line)) {
    const group = wave.group.position
    const thread = wave.firstThread + lane
    const said = moment.register({ group, thread }, place)
    const key = registerKey(group.join(), thread, place)
    if (said !== undefined) kinds.add(`register ${said}`)
    if ((said === 'never written') !== isNever(key)) return `at ${clock} ${key} is said to be ${said}`
  }
  for (const { position } of line.groups)
    for (let at = 0; at < line.source.loaded.declarations.tgsmByteLength; at += 4) {
      const said = moment.shared(position, at)
      const key = sharedKey(position.join(), at)
      if (said !== undefined) kinds.add(`shared memory ${said}`)
      if ((said === 'never written') !== isNever(key)) return `at ${clock} ${key} is said to be ${said}`
    }
  return undefined
}

/** The clocks at which words have no value, whatever bits they hold. */
interface Marked {
  readonly clock: number
  readonly next: string
  /** Bits of words that are said to have a value. */
  readonly bits: readonly (number | undefined)[]
}

function marked(line: TimeLine): Marked {
  const moment = line.undefinedMoment!
  const bits = [...wordsOf(line)].map(({ wave, lane, place }) => {
    const { position: group } = wave.group
    const said = moment.register({ group, thread: wave.firstThread + lane }, place)
    return said === undefined ? wave.register(place, lane) : undefined
  })
  return { clock: line.clock, next: JSON.stringify(line.next), bits }
}

/** Other bits in everything that nothing has written: words that are said to have a value must be the same. */
async function wrongValues(line: TimeLine, seen: readonly Marked[], random: Random): Promise<string | undefined> {
  for (const { wave, lane, place } of wordsOf(line)) wave.setRegister(place, lane, random.next() | 0)
  for (const { tgsm } of line.groups) for (let i = 0; i < tgsm.length; i++) tgsm[i] = random.next() | 0
  for (const { clock, next, bits } of seen) {
    await line.goTo(clock)
    if (JSON.stringify(line.next) !== next) return `at ${clock} something else is next`
    let i = 0
    for (const { wave, lane, place } of wordsOf(line)) {
      const want = bits[i++]
      const got = wave.register(place, lane)
      if (want === undefined || want === got) continue
      return `at ${clock} thread ${wave.firstThread + lane} file ${place.file} ${place.indices} .${place.component} is said to have a value`
    }
  }
  return undefined
}

/** The clock from which undefined values may have gone to memory, to addresses or to branches. */
async function firstUse(line: TimeLine): Promise<number> {
  const uses = (await line.findings()).filter((f) => f.code.startsWith('check-uninitialized'))
  return uses.reduce((least, f) => Math.min(least, f.before), Number.POSITIVE_INFINITY)
}

/** The first thing that is wrong with what a time line says of a run up to some clock, in words; adds what it said to `kinds`. */
export async function wrongUndefined(
  run: WalkedRun,
  seed: number,
  most: number,
  kinds: Set<string>,
): Promise<string | undefined> {
  const { engine, shader: loaded, bindings, groups, options } = run
  const source = { engine, loaded, bindings, groups, options }
  const reset = copyContents(bindings)
  const random = new Random(seed)
  const line = valueOrThrow(createTimeLine(source))
  const end = (await line.goTo(most)).clock
  const first = await firstWrites(line, end)
  const used = await firstUse(line)
  const seen: Marked[] = []
  for (let n = 0; n < 12; n++) {
    await line.goTo(random.below(end + 1))
    await line.followUndefined()
    const wrong = wrongNever(line, first, kinds)
    if (wrong !== undefined) return wrong
    if (line.clock <= used) seen.push(marked(line))
  }
  line.dispose()
  reset()
  const other = valueOrThrow(createTimeLine(source))
  const wrong = await wrongValues(
    other,
    [...seen].sort((a, b) => a.clock - b.clock),
    random,
  )
  other.dispose()
  reset()
  return wrong
}
