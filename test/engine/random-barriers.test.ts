import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createUav } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'
import { Random } from '../support/random/random.ts'

/**
 * Random flow around barriers, divergent at every level: nested ifs, loops that threads leave one by one, switches, returns.
 * Results, shared memory and findings are the reference engine's.
 */

const THREADS = 24
const PROGRAMS = 20
const MOST_DEPTH = 3

/** Conditions in r2.x: of the thread, of the group's memory (uniform, though nobody knows), of what was computed. */
const CONDITIONS = [
  'and r2.x, r0.x, l(1)',
  'and r2.x, r0.x, l(8)',
  'ult r2.x, r0.x, l(13)',
  'ld_raw r2.x, l(0), u0.xxxx',
  'ld_raw r2.x, l(4), u0.xxxx',
  'and r2.x, r1.x, l(4)',
  'ieq r2.x, r0.x, l(20)',
] as const

class Flow {
  readonly #r: Random
  #lines: string[] = []

  constructor(r: Random) {
    this.#r = r
  }

  #add(...lines: string[]): void {
    this.#lines.push(...lines)
  }

  #statement(depth: number, inLoop: boolean): void {
    const kind = this.#r.below(depth < MOST_DEPTH ? 11 : 5)
    if (kind === 0) this.#add('sync_g_t')
    else if (kind === 1) this.#add('store_structured g0.x, r0.x, l(0), r1.x', 'sync_g_t')
    else if (kind === 2)
      this.#add(
        'ieq r3.x, r0.x, l(23)',
        'iadd r3.y, r0.x, l(1)',
        'movc r3.x, r3.x, l(0), r3.y',
        'ld_structured r3.y, r3.x, l(0), g0.xxxx',
        'imad r1.x, r3.y, l(5), r1.x',
      )
    else if (kind === 3) this.#add('imad r1.xy, r1.yxyy, l(3, 7, 0, 0), r0.xxxx')
    else if (kind === 4) this.#leave(inLoop)
    else if (kind < 8) this.#if(depth, inLoop)
    else if (kind < 10) this.#loop(depth)
    else this.#switch(depth, inLoop)
  }

  #leave(inLoop: boolean): void {
    this.#add(this.#r.pick(CONDITIONS))
    const kind = this.#r.below(5)
    if (kind === 0) this.#add('retc_nz r2.x')
    else if (inLoop) this.#add(kind < 3 ? 'breakc_nz r2.x' : 'continuec_nz r2.x')
  }

  body(depth: number, inLoop: boolean): void {
    const count = 1 + this.#r.below(4)
    for (let i = 0; i < count; i++) this.#statement(depth, inLoop)
  }

  #if(depth: number, inLoop: boolean): void {
    this.#add(this.#r.pick(CONDITIONS), 'if_nz r2.x')
    this.body(depth + 1, inLoop)
    if (this.#r.below(2) === 0) {
      this.#add('else')
      this.body(depth + 1, inLoop)
    }
    this.#add('endif')
  }

  /** Counted, so that it ends; the count is the thread's or the same for all. */
  #loop(depth: number): void {
    const counter = `r${4 + depth}.x`
    this.#add(`mov ${counter}, l(0)`, 'loop', `iadd ${counter}, ${counter}, l(1)`)
    const limit = this.#r.pick(['l(2)', 'l(3)', 'r0.y'])
    this.#add(`uge r2.x, ${counter}, ${limit}`, 'breakc_nz r2.x')
    this.body(depth + 1, true)
    this.#add('endloop')
  }

  #switch(depth: number, inLoop: boolean): void {
    this.#add('and r2.x, r0.x, l(3)', 'switch r2.x', 'case l(0)')
    this.body(depth + 1, false)
    this.#add('break', 'case l(2)')
    this.body(depth + 1, false)
    this.#add('break', 'default')
    if (inLoop && this.#r.below(2) === 0) this.#add('continue')
    this.#add('break', 'endswitch')
  }

  text(): string {
    this.body(0, false)
    this.#add('sync_g_t')
    this.body(0, false)
    return this.#lines.join('\n')
  }
}

const program = (body: string) => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_raw u9
dcl_input vThreadIDInGroup.x
dcl_input vThreadID.x
dcl_temps 13
dcl_tgsm_structured g0, 4, ${THREADS}
dcl_thread_group ${THREADS}, 1, 1
mov r0.x, vThreadIDInGroup.x
and r0.y, r0.x, l(3)
mov r1.xyzw, l(1, 2, 3, 4)
ishl r12.x, vThreadID.x, l(4)
store_raw u9.xyzw, r12.x, r1.xyzw
${body}
ld_structured r1.z, r0.x, l(0), g0.xxxx
store_raw u9.xyz, r12.x, r1.xyzx
ret
`

const bind = () => ({ u0: createUav(valueOrThrow(createBuffer({ data: Uint32Array.of(1, 0) })), { raw: true }) })

describe('random flow around barriers', () => {
  it('is as in the reference engine', async () => {
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const text = program(new Flow(new Random(seed * 7919)).text())
      const found = await compareEngines(text, bind, { groups: [2, 1, 1], width: ([1, 2, 4] as const)[seed % 3]! })
      expect(found, `seed ${seed}\n${text}`).toEqual([])
    }
  })
})
