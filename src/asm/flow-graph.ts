/** Control flow as a graph for Graphviz (DOT), for `heddle cfg`. */
import {
  type BasicBlock,
  type ControlFlow,
  type FlowCondition,
  type FlowEdge,
  type FlowFunction,
  instructionNumbers,
  type Program,
} from '../program/index.ts'
import { statementLister } from './listing/index.ts'

/** The text of an instruction with its number, by its index in the program. */
type LineTexts = (statement: number) => string

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** Lines that Graphviz sets flush left. */
function linesLabel(lines: readonly string[]): string {
  return `"${lines.map((line) => `${line.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\l')}\\l`).join('')}"`
}

function conditionText(when: FlowCondition): string {
  if (typeof when === 'object') return `case ${when.case}`
  return when === 'always' ? '' : when
}

function blockLine(block: BasicBlock, textOf: LineTexts): string {
  const lines = block.statements.map(textOf)
  const style = block.isUnreachable ? ', style=dashed' : ''
  return `    b${block.number} [label=${linesLabel(lines)}${style}]`
}

function edgeLine(f: number, from: number, { when, to, isBack }: FlowEdge): string {
  const target = typeof to === 'number' ? `b${to}` : `${to}${f}`
  const text = conditionText(when)
  const attributes = [...(text === '' ? [] : [`label=${quoted(text)}`]), ...(isBack ? ['style=bold'] : [])]
  return `    b${from} -> ${target}${attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`}`
}

function functionLines(f: FlowFunction, index: number, textOf: LineTexts): string[] {
  const exits = new Set(f.blocks.flatMap((b) => b.edges.map((e) => e.to)).filter((to) => typeof to === 'string'))
  return [
    `  subgraph cluster${index} {`,
    `    label=${quoted(f.name)}`,
    ...f.blocks.map((b) => blockLine(b, textOf)),
    ...[...exits].map((exit) => `    ${exit}${index} [label=${quoted(exit)}, shape=plaintext]`),
    ...f.blocks.flatMap((b) => b.edges.map((edge) => edgeLine(index, b.number, edge))),
    '  }',
  ]
}

/** Dotted edges from blocks to the first blocks of the subroutines that they call. */
function callLines({ functions }: ControlFlow): string[] {
  const entries = new Map(functions.map((f) => [f.name, f.blocks[0]?.number]))
  return functions.flatMap((f) =>
    f.blocks.flatMap((b) =>
      [...new Set(b.calls)].flatMap((name) => {
        const entry = entries.get(name)
        return entry === undefined ? [] : [`  b${b.number} -> b${entry} [label="call", style=dotted]`]
      }),
    ),
  )
}

/** The graph in Graphviz's language: a cluster for each function, a box for each block with its statements. */
export function printFlowGraph(name: string, flow: ControlFlow, program: Program): string {
  const list = statementLister(program)
  const numbers = instructionNumbers(program)
  const textOf: LineTexts = (statement) => `${numbers[statement] ?? ''}: ${list(statement) ?? ''}`
  const lines = [
    `digraph ${quoted(name)} {`,
    '  node [shape=box, fontname="monospace", fontsize=10]',
    '  edge [fontname="monospace", fontsize=10]',
    ...flow.functions.flatMap((f, i) => functionLines(f, i, textOf)),
    ...callLines(flow),
    '}',
  ]
  return `${lines.join('\n')}\n`
}
