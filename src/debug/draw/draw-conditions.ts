/** Conditions over the batches of a draw: counted through all of them, and those on findings. */
import { filteredLanes } from '../lanes.ts'
import type { Clock, Hit, RunOptions, Stop, StopCondition } from '../model.ts'
import { Task } from '../task.ts'
import { countPasses } from '../watching.ts'
import type { BatchCursor } from './batch-cursor.ts'
import type { DrawFinding } from './batches.ts'
import { drawFindings } from './draw-findings.ts'

const ORIGIN = [0, 0, 0] as const

export class DrawConditions {
  readonly #cursor: BatchCursor
  #findings: readonly DrawFinding[] | undefined
  /** Conditions with hits, as the batch that is looked at counts them. */
  #derived = new Map<StopCondition, StopCondition>()
  #derivedAt = -1
  /** How often each was met, by batch. */
  #met = new Map<StopCondition, number[]>()

  constructor(cursor: BatchCursor) {
    this.#cursor = cursor
  }

  /** After a change: what was counted and found is of another run. */
  forget(): void {
    this.#findings = undefined
    this.#derived = new Map()
    this.#met = new Map()
  }

  /** Conditions as the line of the present batch takes them: hits go on counting from the batches before. */
  async here(conditions: readonly StopCondition[], options: RunOptions): Promise<readonly StopCondition[]> {
    const { stage } = this.#cursor.batch
    const own = conditions.filter((c) => c.kind !== 'finding' && (c.stage === undefined || c.stage === stage))
    const here: StopCondition[] = []
    for (const c of own) here.push(await this.#derivedOf(c, options))
    return here
  }

  async #derivedOf(condition: StopCondition, options: RunOptions): Promise<StopCondition> {
    const { hits } = condition
    if (hits === undefined) return condition
    const { at } = this.#cursor
    if (this.#derivedAt !== at) {
      this.#derivedAt = at
      this.#derived = new Map()
    }
    let derived = this.#derived.get(condition)
    if (derived === undefined) {
      derived = { ...condition, hits: { ...hits, before: await this.#metBefore(condition, at, options) } }
      if (options.signal?.aborted !== true) this.#derived.set(condition, derived)
    }
    return derived
  }

  /** How often a condition is met in the batches before one; the present moment stays. */
  async #metBefore(condition: StopCondition, place: number, options: RunOptions): Promise<number> {
    let counts = this.#met.get(condition)
    if (counts === undefined) this.#met.set(condition, (counts = []))
    if (counts.length < place) {
      const cursor = this.#cursor
      const { clock } = cursor.line
      const { hits: _, ...always } = condition
      for (let at = counts.length; at < place; at++) {
        const isIn = condition.stage === undefined || condition.stage === cursor.batches[at]!.stage
        const times = isIn ? await this.#timesMet(always, at, options) : 0
        if (options.signal?.aborted === true) break
        counts.push(times)
      }
      await cursor.enter(place)
      await cursor.line.goTo(clock)
    }
    return counts.slice(0, place).reduce((sum, n) => sum + n, 0)
  }

  async #timesMet(condition: StopCondition, place: number, options: RunOptions): Promise<number> {
    await this.#cursor.enter(place)
    const { line } = this.#cursor
    let count = (await line.holding([condition])).length > 0 ? 1 : 0
    while ((await line.run('forward', [condition], options)).reason === 'condition') count++
    return count
  }

  /** Hits of the present batch, with conditions as they were given and clocks of the draw. */
  ofDraw(hits: readonly Hit[]): readonly Hit[] {
    const { first } = this.#cursor.batch
    const given = new Map([...this.#derived].map(([original, derived]) => [derived, original]))
    return hits.map((h) => ({ ...h, before: h.before + first, condition: given.get(h.condition) ?? h.condition }))
  }

  /** The moments at which conditions on findings hold, in order. */
  async findingHits(conditions: readonly StopCondition[], options: RunOptions): Promise<readonly Hit[]> {
    const own = conditions.flatMap((c) => (c.kind === 'finding' ? [c] : []))
    if (own.length === 0) return []
    const all = await this.findings(options)
    const found: Hit[] = []
    for (const condition of own) {
      const { codes, stage, where, hits } = condition
      let count = 0
      for (const finding of all) {
        const { thread } = finding.thread
        const isIts = (codes?.includes(finding.code) ?? true) && (stage === undefined || stage === finding.stage)
        if (!isIts || filteredLanes(where, ORIGIN, 0, [thread]).length === 0) continue
        if (!(await this.#isMet(condition, finding))) continue
        count++
        if (hits !== undefined && !countPasses(hits, count)) continue
        const { before, statement } = finding
        const at = { group: ORIGIN, wave: 0, firstThread: thread, lanes: [0], statement, before }
        found.push({ condition, ...at, ...(hits === undefined ? {} : { count }), finding })
      }
    }
    return found.sort((a, b) => a.before - b.before)
  }

  /** Whether a condition's callback answers true at a finding; the present moment stays. */
  async #isMet({ when }: StopCondition, { thread, before, batch }: DrawFinding): Promise<boolean> {
    if (when === undefined) return true
    const cursor = this.#cursor
    const { at } = cursor
    const { clock } = cursor.line
    await cursor.enter(cursor.batches.indexOf(batch))
    await cursor.line.goTo(before - batch.first)
    const lane = cursor.line.laneOf(thread)
    const isMet = lane !== undefined && when(lane)
    await cursor.enter(at)
    await cursor.line.goTo(clock)
    return isMet
  }

  /** Everything that the detectors find; nothing where it was canceled. */
  async findings(options: RunOptions): Promise<readonly DrawFinding[]> {
    if (this.#findings === undefined) {
      const cursor = this.#cursor
      const { clock } = cursor
      this.#findings = await drawFindings(cursor.draw, cursor.batches, cursor.changes, new Task(options))
      await cursor.comeBack(clock)
    }
    return this.#findings ?? []
  }

  /** The moment of a finding in the present batch that comes before its stop. */
  nearestFinding(found: readonly Hit[], from: Clock, isForward: boolean, stop: Stop): Clock | undefined {
    const { first, statements } = this.#cursor.batch
    const limit = stop.reason === 'condition' ? stop.clock + first : undefined
    const clocks = found
      .map((h) => h.before + 1)
      .filter((c) => c > first && c <= first + statements && (isForward ? c > from : c < from))
      .filter((c) => limit === undefined || (isForward ? c <= limit : c >= limit))
    return isForward ? clocks[0] : clocks.at(-1)
  }
}
