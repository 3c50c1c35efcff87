import type { CodeInfo } from './code-info.ts'

/** Codes of the debugger. */
export const DEBUG_CODES = {
  'debug-engine': {
    severity: 'error',
    title: 'Engine that cannot go back',
    explanation:
      'A time line stops between any two statements and goes back to earlier ones, which takes an engine that keeps everything of a run as data. Compiled code cannot: debug on the reference engine.',
  },
  'debug-change': {
    severity: 'error',
    title: 'Change of something that is not there',
    explanation:
      'Registers of threads whose group runs at the moment, memory that is bound as a UAV, the counters of such views and the shared memory of a group in flight can be changed. Constants and what is bound for reading alone decide the whole run: begin another one with other contents.',
  },
  'debug-clock': {
    severity: 'error',
    title: 'Clock that names no moment',
    explanation:
      'Moments are counted in statements that waves have executed: whole numbers from 0. A clock behind the end of the run leads to the end.',
  },
  'debug-draw': {
    severity: 'error',
    title: 'Draw that cannot be kept',
    explanation:
      'A draw is debugged by copies of its batches, which are run again by themselves. Either the draw runs no shader, or the copies take more than the bytes allowed: raise `maxByteLength`, draw fewer primitives, or limit the viewport or scissor rectangle to what is in question.',
  },
  'debug-index': {
    severity: 'error',
    title: 'History that is too large',
    explanation:
      'The index of accesses keeps some 24 bytes for each word that is stored. What the run stores does not fit into the bytes allowed: raise `maxIndexBytes`, run fewer groups, or use data breakpoints, which need no index.',
  },
} as const satisfies Readonly<Record<string, CodeInfo>>
