import { describe, expect, it } from 'vitest'
import { ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createUav, type Schedule, WAVE_WIDTHS, type WaveWidth } from '../../src/machine/index.ts'
import { type RunOptions, runText } from '../support/run-text.ts'

/** Flow control, each thread against the same program written in JavaScript, at every wave width. */

const THREADS = 64

function schedule(waveWidth: WaveWidth): Schedule {
  return { waveWidth, order: 'forward', groupsInFlight: 1 }
}

/** Runs `body` for 64 threads with the thread's number in r0.x; the result is r1.x of each. */
function perThread(body: string, options: RunOptions = {}, declares = '') {
  const out = valueOrThrow(createBuffer({ byteLength: THREADS * 4 }))
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
${declares}
dcl_input vThreadIDInGroupFlattened
dcl_temps 8
dcl_thread_group ${THREADS}, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
mov r1.xyzw, l(0, 0, 0, 0)
${body}
`
  const run = runText(text, { u0: createUav(out, { raw: true }) }, options)
  return { values: Array.from(out.storage.words.subarray(0, THREADS)), run }
}

/** Stores r1.x; programs end with it, or call it before they return. */
const STORE = 'ishl r7.x, vThreadIDInGroupFlattened.x, l(2)\nstore_raw u0.x, r7.x, r1.x'

interface Case {
  readonly name: string
  readonly body: string
  readonly model: (i: number) => number
}

function loopModel(i: number): number {
  let sum = 0
  for (let n = 0; ; n++) {
    if (n >= i) break
    if (n % 3 === 1) continue
    sum += n
    if (sum > 100) break
  }
  return sum
}

function nestedModel(i: number): number {
  let sum = 0
  for (let a = 0; a < i % 7; a++) {
    for (let b = 0; b < a; b++) {
      if (b === 3) break
      sum += a * 10 + b
    }
  }
  return sum
}

/** case 0 falls through into case 1; default stands between the cases. */
function switchModel(i: number): number {
  const value = i & 7
  if (value === 0) return 1 + 10
  if (value === 1) return 10
  return value === 5 || value === 6 ? 1000 : 100
}

function switchInLoopModel(i: number): number {
  let r = 0
  for (let n = 0; n < 5; n++) {
    switch ((i + n) & 3) {
      case 0:
        r += 1
        break
      case 1:
        continue
      case 2:
        if (n > 2) return r + 5000
        r += 100
        break
      default:
        break
    }
    r += 10
  }
  return r
}

const CASES: Case[] = [
  {
    name: 'if and else, nested',
    body: `and r2.x, r0.x, l(1)
and r2.y, r0.x, l(2)
if_nz r2.x
  if_z r2.y
    mov r1.x, l(10)
  else
    mov r1.x, l(20)
  endif
  iadd r1.x, r1.x, l(1)
else
  if_nz r2.y
    mov r1.x, l(30)
  endif
endif
${STORE}
ret`,
    model: (i) => ((i & 1) !== 0 ? ((i & 2) === 0 ? 11 : 21) : (i & 2) !== 0 ? 30 : 0),
  },
  {
    name: 'a loop with break, continue and a second break',
    body: `mov r2.x, l(0)
loop
  uge r2.y, r2.x, r0.x
  breakc_nz r2.y
  mov r3.x, r2.x
  iadd r2.x, r2.x, l(1)
  udiv null, r2.z, r3.x, l(3)
  ieq r2.w, r2.z, l(1)
  continuec_nz r2.w
  iadd r1.x, r1.x, r3.x
  ilt r2.w, l(100), r1.x
  if_nz r2.w
    break
  endif
endloop
${STORE}
ret`,
    model: loopModel,
  },
  {
    name: 'loops in loops',
    body: `udiv null, r2.x, r0.x, l(7)
mov r3.x, l(0)
loop
  uge r3.z, r3.x, r2.x
  breakc_nz r3.z
  mov r4.x, l(0)
  loop
    uge r4.z, r4.x, r3.x
    breakc_nz r4.z
    ieq r4.z, r4.x, l(3)
    if_nz r4.z
      break
    endif
    imad r4.w, r3.x, l(10), r4.x
    iadd r1.x, r1.x, r4.w
    iadd r4.x, r4.x, l(1)
  endloop
  iadd r3.x, r3.x, l(1)
endloop
${STORE}
ret`,
    model: nestedModel,
  },
  {
    name: 'switch with fall-through and a default between the cases',
    body: `and r2.x, r0.x, l(7)
switch r2.x
case l(0)
  iadd r1.x, r1.x, l(1)
case l(1)
  iadd r1.x, r1.x, l(10)
  break
default
  iadd r1.x, r1.x, l(100)
  break
case l(5)
case l(6)
  iadd r1.x, r1.x, l(1000)
  break
endswitch
${STORE}
ret`,
    model: switchModel,
  },
  {
    name: 'switch in a loop: break leaves the switch, continue the turn, ret the program',
    body: `mov r2.x, l(0)
loop
  uge r2.y, r2.x, l(5)
  breakc_nz r2.y
  iadd r2.z, r0.x, r2.x
  and r2.z, r2.z, l(3)
  mov r2.w, r2.x
  iadd r2.x, r2.x, l(1)
  switch r2.z
  case l(0)
    iadd r1.x, r1.x, l(1)
    break
  case l(1)
    continue
  case l(2)
    ilt r3.x, l(2), r2.w
    if_nz r3.x
      iadd r1.x, r1.x, l(5000)
      ${STORE}
      ret
    endif
    iadd r1.x, r1.x, l(100)
    break
  default
    break
  endswitch
  iadd r1.x, r1.x, l(10)
endloop
${STORE}
ret`,
    model: switchInLoopModel,
  },
  {
    name: 'a switch without a default or a matching case',
    body: `switch r0.x
case l(3)
  mov r1.x, l(33)
  break
endswitch
iadd r1.x, r1.x, l(1)
${STORE}
ret`,
    model: (i) => (i === 3 ? 34 : 1),
  },
  {
    name: 'calls, conditional calls and conditional returns',
    body: `call label0
and r2.x, r0.x, l(1)
callc_nz r2.x, label1
callc_z r2.x, label2
${STORE}
ret
label label0
  ilt r3.x, r0.x, l(10)
  retc_nz r3.x
  iadd r1.x, r1.x, l(1)
ret
label label1
  iadd r1.x, r1.x, l(100)
  call label2
  iadd r1.x, r1.x, l(100)
ret
label label2
  ilt r3.x, l(20), r0.x
  if_nz r3.x
    loop
      iadd r1.x, r1.x, l(7)
      ret
    endloop
  endif
  iadd r1.x, r1.x, l(1000)
ret`,
    model: (i) => (i < 10 ? 0 : 1) + ((i & 1) === 1 ? 200 : 0) + (i > 20 ? 7 : 1000),
  },
  {
    name: 'a return from inside a branch of the program',
    body: `${STORE}
ilt r2.x, r0.x, l(32)
if_nz r2.x
  mov r1.x, l(1)
  ${STORE}
  retc_nz r2.x
  mov r1.x, l(2)
else
  and r2.y, r0.x, l(1)
  retc_z r2.y
  mov r1.x, l(3)
endif
${STORE}
ret`,
    model: (i) => (i < 32 ? 1 : (i & 1) === 0 ? 0 : 3),
  },
]

describe.each(CASES)('$name', ({ body, model }) => {
  const want = Array.from({ length: THREADS }, (_, i) => model(i))
  it.each(WAVE_WIDTHS)('in waves of %i', (width) => {
    const { values, run } = perThread(body, { schedule: schedule(width) })
    expect(values).toEqual(want)
    expect(run.diagnostics).toEqual([])
  })
})

describe('calls', () => {
  const chain = (length: number): string =>
    Array.from({ length }, (_, i) => {
      const next = i + 1 < length ? `call label${i + 1}` : 'nop'
      return `label label${i}\niadd r1.x, r1.x, l(1)\n${next}\nret`
    }).join('\n')

  it('nest 32 deep', () => {
    const { values, run } = perThread(`call label0\n${STORE}\nret\n${chain(32)}`)
    expect(values[0]).toBe(32)
    expect(run.diagnostics).toEqual([])
  })

  it('skip the 33rd', () => {
    const { values, run } = perThread(`call label0\n${STORE}\nret\n${chain(33)}`)
    expect(values[0]).toBe(32)
    expect(run.diagnostics.map((d) => [d.code, d.severity])).toEqual([['engine-call-depth', 'hint']])
  })

  it('do not hang where a subroutine calls itself', () => {
    const { values } = perThread(`call label0\n${STORE}\nret\nlabel label0\niadd r1.x, r1.x, l(1)\ncall label0\nret`)
    expect(values[0]).toBe(32)
  })
})

describe('the budget', () => {
  const endless = 'mov r2.x, l(0)\nloop\n  iadd r2.x, r2.x, l(1)\nendloop\nret'

  it('stops an endless loop and names it', () => {
    const { run } = perThread(endless, { maxInstructionsPerThread: 10_000 })
    expect(run.stopped).toBe('budget')
    const [first] = run.diagnostics
    expect(first?.code).toBe('engine-budget')
    // Five declarations, two moves of the frame, one of the body: the loop is statement 8.
    expect(first?.place).toMatchObject({ kind: 'statement', index: 8 })
    expect(first?.message).toContain('10000')
  })

  it('stops an endless loop around a barrier', () => {
    const { run } = perThread('loop\n  sync_g_t\nendloop\nret', { maxInstructionsPerThread: 1000 })
    expect(run.stopped).toBe('budget')
  })

  it('counts each thread: divergent work of many is not the work of one', () => {
    // 64 threads of one wave each take a turn of about 300 instructions; the wave executes 64 times that.
    const body = `mov r2.x, l(0)
loop
  uge r2.y, r2.x, l(64)
  breakc_nz r2.y
  ieq r2.z, r2.x, r0.x
  if_nz r2.z
    mov r3.x, l(0)
    loop
      uge r3.y, r3.x, l(75)
      breakc_nz r3.y
      iadd r3.x, r3.x, l(1)
    endloop
    mov r1.x, r3.x
  endif
  iadd r2.x, r2.x, l(1)
endloop
${STORE}
ret`
    const options = {
      schedule: { waveWidth: 64, order: { seed: 5 }, groupsInFlight: 1 },
      maxInstructionsPerThread: 1000,
    } as const
    const { run, values } = perThread(body, options)
    expect(run.stopped).toBeUndefined()
    expect(values).toEqual(Array.from({ length: THREADS }, () => 75))
  })
})

describe('programs whose blocks do not nest', () => {
  it.each([
    ['an else outside of an if', 'else\nret'],
    ['an if without an end', 'if_nz r0.x\nret'],
    ['an end of another block', 'loop\nendif\nendloop\nret'],
    ['a break outside of a loop', 'break\nret'],
    ['a continue in a switch alone', 'switch r0.x\ncase l(0)\ncontinue\nendswitch\nret'],
    ['a case outside of a switch', 'case l(1)\nret'],
    ['a second else', 'if_nz r0.x\nelse\nelse\nendif\nret'],
    ['a call of nothing', 'call label7\nret'],
  ])('are refused: %s', (_name, body) => {
    expect(() => perThread(body)).toThrow(ShaderError)
  })
})
