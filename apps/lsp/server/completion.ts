import {
  type CompletionItem,
  CompletionItemKind,
  type CompletionList,
  InsertTextFormat,
  MarkupKind,
  type SignatureHelp,
} from 'vscode-languageserver'
import {
  completionAt,
  type CompletionItem as Item,
  mnemonicText,
  signatureHelpAt,
} from '../../../src/language/index.ts'
import type { OpenDocument } from './documents.ts'

const KINDS: Readonly<Record<Item['kind'], CompletionItemKind>> = {
  keyword: CompletionItemKind.Keyword,
  function: CompletionItemKind.Function,
  event: CompletionItemKind.Event,
  macro: CompletionItemKind.Constant,
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Field,
  namespace: CompletionItemKind.Module,
  property: CompletionItemKind.Property,
  enum: CompletionItemKind.EnumMember,
}

/** A snippet as plain text: its places with what stands in them. */
const plain = (snippet: string): string => snippet.replace(/\$\{\d+:([^}]*)\}/g, '$1').replace(/\$\d/g, '')

export function completion(document: OpenDocument, position: number, hasSnippets: boolean): CompletionList {
  const { range, items } = completionAt(document.shader, position)
  const target = document.range(range)
  return {
    isIncomplete: false,
    items: items.map(({ label, kind, detail, insert, isSnippet, mnemonic, rank }) => ({
      label,
      kind: KINDS[kind],
      detail,
      sortText: `${rank}${label}`,
      insertTextFormat: isSnippet && hasSnippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      textEdit: { range: target, newText: isSnippet && !hasSnippets ? plain(insert) : insert },
      ...(mnemonic === undefined ? {} : { data: mnemonic }),
    })),
  }
}

/** An item with what its instruction means. */
export function resolveCompletion(item: CompletionItem): CompletionItem {
  const text = typeof item.data === 'string' ? mnemonicText(item.data) : undefined
  return text === undefined ? item : { ...item, documentation: { kind: MarkupKind.Markdown, value: text } }
}

export function signatureHelp(document: OpenDocument, position: number): SignatureHelp | null {
  const help = signatureHelpAt(document.shader, position)
  if (help === undefined) return null
  const { label, summary, parameters, active } = help
  return {
    signatures: [
      {
        label,
        documentation: { kind: MarkupKind.Markdown, value: summary },
        parameters: parameters.map((p) => ({ label: p.label, documentation: p.text })),
        activeParameter: active,
      },
    ],
    activeSignature: 0,
    activeParameter: active,
  }
}
