import {
  type CallHierarchyItem,
  type DocumentSymbol,
  type FoldingRange,
  FoldingRangeKind,
  type SelectionRange,
  SymbolKind,
} from 'vscode-languageserver'
import {
  type CallItem,
  documentSymbols,
  foldings,
  type DocumentSymbol as Symbol_,
  selectionsAt,
} from '../../../src/language/index.ts'
import type { OpenDocument } from './documents.ts'

const KINDS: Readonly<Record<Symbol_['kind'], SymbolKind>> = {
  declarations: SymbolKind.Namespace,
  declaration: SymbolKind.Variable,
  function: SymbolKind.Function,
  block: SymbolKind.Object,
}

function symbolOf(document: OpenDocument, symbol: Symbol_): DocumentSymbol {
  return {
    name: symbol.name,
    detail: symbol.detail,
    kind: KINDS[symbol.kind],
    range: document.range(symbol.range),
    selectionRange: document.range(symbol.selection),
    children: symbol.children.map((child) => symbolOf(document, child)),
  }
}

export const symbolsOf = (document: OpenDocument): DocumentSymbol[] =>
  documentSymbols(document.shader).map((symbol) => symbolOf(document, symbol))

export const foldingsOf = (document: OpenDocument): FoldingRange[] =>
  foldings(document.shader).map(({ firstLine, lastLine, kind }) => ({
    startLine: firstLine,
    endLine: lastLine,
    kind: kind === 'comment' ? FoldingRangeKind.Comment : FoldingRangeKind.Region,
  }))

/** The ranges around a position, each in the next larger one. */
export function selectionOf(document: OpenDocument, position: number): SelectionRange {
  let outer: SelectionRange | undefined
  for (const range of [...selectionsAt(document.shader, position)].reverse()) {
    const own: SelectionRange = { range: document.range(range) }
    outer = outer === undefined ? own : { ...own, parent: outer }
  }
  return outer ?? { range: document.range({ start: position, end: position }) }
}

export function callItemOf(document: OpenDocument, item: CallItem): CallHierarchyItem {
  return {
    name: item.name,
    kind: SymbolKind.Function,
    uri: document.uri,
    range: document.range(item.range),
    selectionRange: document.range(item.selection),
  }
}
