import { CodeActionKind, type InitializeResult, TextDocumentSyncKind } from 'vscode-languageserver'
import { TOKEN_MODIFIERS, TOKEN_TYPES, TRIGGER_CHARACTERS } from '../../../src/language/index.ts'
import { VERSION } from '../../../src/version.ts'
import type { Settings } from './settings.ts'

/** What the server says that it can. */
export function capabilitiesOf({ hasCommands }: Settings): InitializeResult {
  return {
    serverInfo: { name: 'heddle', version: VERSION },
    capabilities: {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
      hoverProvider: true,
      completionProvider: { triggerCharacters: [...TRIGGER_CHARACTERS], resolveProvider: true },
      signatureHelpProvider: { triggerCharacters: [' ', ','], retriggerCharacters: [','] },
      definitionProvider: true,
      declarationProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      renameProvider: { prepareProvider: true },
      documentSymbolProvider: true,
      foldingRangeProvider: true,
      selectionRangeProvider: true,
      linkedEditingRangeProvider: true,
      callHierarchyProvider: true,
      ...(hasCommands ? { codeLensProvider: {} } : {}),
      inlayHintProvider: { resolveProvider: true },
      documentFormattingProvider: true,
      documentRangeFormattingProvider: true,
      codeActionProvider: {
        codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite, CodeActionKind.Source],
      },
      semanticTokensProvider: {
        legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
        full: { delta: true },
        range: true,
      },
    },
  }
}
