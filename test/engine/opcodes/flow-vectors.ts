import { createCbv } from '../../../src/machine/index.ts'
import type { OpcodeVector } from '../../support/opcode-vector.ts'

/** Flow control (22.7): each word that steers, taken and not taken. Divergence is the matter of `flow.test.ts`. */

/** Adds `n` to r1.x, so that the sum tells which statements ran. */
const add = (n: number): string => `iadd r1.x, r1.x, l(${n})`

/** r2.x counts 0, 1, 2 ...; `body` sees it and must leave. */
const counting = (body: string): string => `mov r2.x, l(0)
loop
  ige r2.y, r2.x, l(20)
  breakc_nz r2.y
  iadd r2.x, r2.x, l(1)
  ${body}
endloop`

const FLOW: readonly (readonly [mnemonic: string, reason: string, body: string, x: number])[] = [
  ['if', '_nz with any bit set is true (22.7.6)', `if_nz l(0x80000000)\n${add(1)}\nendif`, 8],
  ['if', '_nz of 0 is false', `if_nz l(0)\n${add(1)}\nendif`, 7],
  ['if', '_z of 0 is true', `if_z l(0)\n${add(1)}\nendif`, 8],
  ['if', '_nz tests bits, and -0.0 has one', `mov r2.x, l(-0.0)\nif_nz r2.x\n${add(1)}\nendif`, 8],
  ['else', 'is the other side', `if_nz l(0)\n${add(1)}\nelse\n${add(10)}\nendif`, 17],
  [
    'else',
    'is left out where the condition holds',
    `if_nz l(1)\n${add(1)}\nelse\n${add(10)}\nendif\nif_z l(1)\nelse\nendif`,
    8,
  ],
  ['endif', 'is where both sides meet', `if_nz l(0)\n${add(1)}\nendif\n${add(100)}`, 107],
  ['loop', 'runs until it is left (22.7.14)', counting(add(1)), 27],
  ['endloop', 'goes back to the loop', counting(add(2)), 47],
  ['break', 'leaves the innermost loop (22.7.1)', counting(`${add(1)}\nloop\nbreak\n${add(100)}\nendloop`), 27],
  [
    'break',
    'leaves a switch and not the loop around it',
    counting(`switch l(0)\ncase l(0)\n${add(1)}\nbreak\nendswitch`),
    27,
  ],
  ['breakc', '_nz', counting(`ieq r2.y, r2.x, l(5)\nbreakc_nz r2.y\n${add(1)}`), 11],
  ['breakc', '_z', counting(`ine r2.y, r2.x, l(5)\nbreakc_z r2.y\n${add(1)}`), 11],
  [
    'continue',
    'goes on with the next turn (22.7.4)',
    counting(`${add(1)}\nif_nz l(1)\ncontinue\nendif\n${add(100)}`),
    27,
  ],
  ['continuec', '_nz', counting(`and r2.y, r2.x, l(1)\ncontinuec_nz r2.y\n${add(1)}`), 17],
  ['continuec', '_z', counting(`and r2.y, r2.x, l(3)\ncontinuec_z r2.y\n${add(1)}`), 22],
  [
    'switch',
    'goes to the case of its value (22.7.18)',
    `switch l(2)\ncase l(1)\n${add(1)}\nbreak\ncase l(2)\n${add(10)}\nbreak\nendswitch`,
    17,
  ],
  [
    'switch',
    'compares 32 bits: -1 is 0xffffffff',
    `mov r2.x, l(-1)\nswitch r2.x\ncase l(0xffffffff)\n${add(1)}\nbreak\ndefault\n${add(10)}\nbreak\nendswitch`,
    8,
  ],
  [
    'switch',
    'without a matching case or a default does nothing',
    `switch l(3)\ncase l(1)\n${add(1)}\nbreak\nendswitch`,
    7,
  ],
  [
    'case',
    'falls through where it has no break and no code',
    `switch l(1)\ncase l(1)\ncase l(2)\n${add(10)}\nbreak\ndefault\n${add(100)}\nbreak\nendswitch`,
    17,
  ],
  [
    'default',
    'takes what no case names, wherever it stands',
    `switch l(9)\ndefault\n${add(100)}\nbreak\ncase l(2)\n${add(10)}\nbreak\nendswitch`,
    107,
  ],
  [
    'default',
    'shares code with a case before it',
    `switch l(1)\ncase l(1)\ndefault\n${add(100)}\nbreak\nendswitch`,
    107,
  ],
  [
    'endswitch',
    'is where all cases meet',
    `switch l(1)\ncase l(1)\n${add(1)}\nbreak\ndefault\n${add(2)}\nbreak\nendswitch\n${add(10)}`,
    18,
  ],
  ['ret', 'ends the thread (22.7.16)', `store_raw u7.xyzw, l(0), r1.xyzw\nif_nz l(1)\nret\nendif\n${add(1)}`, 7],
  [
    'retc',
    '_nz ends the thread where the condition holds',
    `store_raw u7.xyzw, l(0), r1.xyzw\nretc_nz l(4)\n${add(1)}`,
    7,
  ],
  ['retc', '_nz goes on where it does not', `retc_nz l(0)\n${add(1)}`, 8],
  ['retc', '_z', `store_raw u7.xyzw, l(0), r1.xyzw\nretc_z l(0)\n${add(1)}`, 7],
  ['nop', 'does nothing', 'nop\nnop', 7],
  [
    'call',
    'runs the subroutine and comes back (22.7.10)',
    `call label0\n${add(10)}\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label0\n${add(1)}`,
    18,
  ],
  [
    'callc',
    '_nz with a true condition',
    `callc_nz l(1), label0\n${add(10)}\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label0\n${add(1)}`,
    18,
  ],
  [
    'callc',
    '_nz with a false one',
    `callc_nz l(0), label0\n${add(10)}\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label0\n${add(1)}`,
    17,
  ],
  [
    'callc',
    '_z',
    `callc_z l(0), label0\n${add(10)}\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label0\n${add(1)}`,
    18,
  ],
  [
    'ret',
    'in a subroutine goes back to the call',
    `call label0\n${add(10)}\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label0\nif_nz l(1)\n${add(1)}\nret\nendif\n${add(100)}`,
    18,
  ],
]

const INTERFACES = `dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = {fb0}
dcl_function_table ft1 = {fb1}
dcl_interface fp0[1][1] = {ft0, ft1}`
const METHODS = `store_raw u7.xyzw, l(0), r1.xyzw
ret
label fb0
${add(1)}
ret
label fb1
${add(100)}`

const fcall = (reason: string, table: number, x: number): OpcodeVector => ({
  mnemonic: 'fcall',
  reason,
  declares: INTERFACES,
  body: `fcall fp0[0][0]\n${METHODS}`,
  options: { classInstances: { fp0: { table } } },
  result: [x, 7, 7, 7],
})

export const FLOW_VECTORS: readonly OpcodeVector[] = [
  ...FLOW.map(([mnemonic, reason, body, x]): OpcodeVector => ({ mnemonic, reason, body, result: [x, 7, 7, 7] })),
  fcall('the method of table 0 (22.7.19)', 0, 8),
  fcall('the method of table 1', 1, 107),
  {
    mnemonic: 'label',
    reason: 'is where a call arrives',
    body: `call label3\nstore_raw u7.xyzw, l(0), r1.xyzw\nret\nlabel label2\n${add(1)}\nret\nlabel label3\n${add(10)}`,
    result: [17, 7, 7, 7],
  },
  {
    mnemonic: 'abort',
    reason: 'ends the dispatch before what follows',
    body: 'store_raw u7.xyzw, l(0), r1.xyzw\nabort\nmov r1.x, l(1)',
    result: [7, 7, 7, 7],
    codes: ['engine-abort'],
    stopped: 'abort',
  },
  {
    mnemonic: 'debug_break',
    reason: 'does nothing without a debugger',
    body: `debug_break\n${add(1)}`,
    result: [8, 7, 7, 7],
  },
  {
    mnemonic: 'switch',
    reason: 'takes its value from a constant',
    declares: 'dcl_constantbuffer CB0[1], immediateIndexed',
    bind: () => ({ bindings: { b0: createCbv(Uint32Array.of(0, 0, 5, 0)) } }),
    body: `switch cb0[0].z\ncase l(0)\n${add(1)}\nbreak\ncase l(5)\n${add(10)}\nbreak\nendswitch`,
    result: [17, 7, 7, 7],
  },
]
