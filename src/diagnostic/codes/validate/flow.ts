import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of blocks, functions and interfaces. */
export const FLOW_RULES = {
  'validate-block-pairing': {
    severity: 'error',
    title: 'Block that is not opened or not closed',
    explanation:
      'if, loop and switch end with endif, endloop and endswitch, nested without crossing; an else stands once in its if, and a label in no block.',
    source: 'functional specification 22.7',
  },
  'validate-block-nesting': {
    severity: 'error',
    title: 'Blocks nested too deep',
    explanation:
      'Blocks nest 64 deep in the main program and in each subroutine; beyond that behavior is undefined. Move the inner blocks to a subroutine, or flatten them.',
    source: 'functional specification 7.12',
  },
  'validate-break': {
    severity: 'error',
    title: 'Break or continue outside a loop',
    explanation:
      'break leaves a loop or switch, continue starts a loop again; neither means anything elsewhere. A block that was removed around them leaves such instructions behind.',
    source: 'functional specification 22.7.6, 22.7.8',
  },
  'validate-case': {
    severity: 'error',
    title: 'Case out of place',
    explanation:
      'case and default stand in a switch, directly, each value once and one default; no code stands before the first of them.',
    source: 'functional specification 22.7.12, 22.7.13, 22.7.18',
  },
  'validate-case-fall-through': {
    severity: 'error',
    title: 'Code that runs into the next case',
    explanation:
      'Cases may share their code by standing together. Code must leave its case before the next one begins. Repeat the shared code in both, or end it with a break.',
    source: 'functional specification 22.7.18',
  },
  'validate-missing-ret': {
    severity: 'error',
    title: 'No ret at the end',
    explanation:
      'The main program, every phase and every subroutine end with an unconditional ret. Without it execution runs into whatever comes behind: another subroutine, another phase, or nothing.',
    source: 'functional specification 22.7.16, 22.7.17',
  },
  'validate-label': {
    severity: 'error',
    title: 'Label missing or doubled',
    explanation:
      'A call goes to a label that is there once. With none the call goes nowhere, with two its target is ambiguous.',
    source: 'functional specification 22.7.10, 22.7.15',
  },
  'validate-recursion': {
    severity: 'error',
    title: 'Recursion',
    explanation:
      'A subroutine must not call itself, neither directly nor through others. There is no stack for parameters, and implementations inline every call.',
    source: 'functional specification 22.7.10',
  },
  'validate-call-depth': {
    severity: 'error',
    title: 'Calls nested too deep',
    explanation:
      'The return address stack has 32 entries; a deeper call is skipped. Merge subroutines that only pass calls on.',
    source: 'functional specification 22.7.10',
  },
  'validate-divergent-sync': {
    severity: 'warning',
    title: 'Threads wait in divergent flow control',
    explanation:
      'A sync that waits for the whole group stands in a block whose condition is computed from the number of the thread. Unless the computation makes it the same for all threads, some never come to it and the group hangs or goes on without them. Move the sync out of the block.',
    source: 'functional specification 22.17.7',
  },
  'validate-function-list': {
    severity: 'error',
    title: 'List of another length than stated',
    explanation:
      'A function table states how many bodies it lists, an interface how many tables. A reader that trusts the number takes the wrong list.',
    source: 'functional specification 22.3.50, 22.3.51',
  },
  'validate-function-body': {
    severity: 'error',
    title: 'Function body not declared or without code',
    explanation:
      'Every declared function body has its code at a label of the same number, and the other way round. A body without code could not be called, code without a declaration could not be chosen.',
    source: 'functional specification 22.3.49',
  },
  'validate-function-table': {
    severity: 'error',
    title: 'Table of undeclared bodies',
    explanation:
      'A function table lists function bodies that are declared. The table is what a class linkage fills call sites from; an unknown body leaves a call site empty.',
    source: 'functional specification 22.3.50',
  },
  'validate-interface': {
    severity: 'error',
    title: 'Interface that does not fit its tables',
    explanation:
      'An interface lists declared function tables, each with one body for each of its call sites. Whatever table is chosen at run time must have something for every call.',
    source: 'functional specification 22.3.51',
  },
  'validate-interface-call': {
    severity: 'error',
    title: 'Call through an interface that is not there',
    explanation:
      'fcall names a declared pointer and a call site that its interface has; a register may choose the pointer only where the interface is declared dynamicindexed.',
    source: 'functional specification 22.7.19',
  },
  'validate-interface-limit': {
    severity: 'error',
    title: 'Too many interface pointers',
    explanation:
      'All interfaces of a program together have at most 253 pointers. The limit bounds the data that goes to the driver with each binding.',
    source: 'functional specification 22.3.51',
  },
  'validate-call-site-limit': {
    severity: 'error',
    title: 'Too many interface call targets',
    explanation:
      'Interface calls have at most 4096 targets in all; a call whose pointer is chosen by a register counts for every pointer of its array.',
    source: 'functional specification 22.3.51',
  },
} as const satisfies Record<string, CodeInfo>
