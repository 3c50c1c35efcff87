import { CodeActionKind, type InitializeResult, TextDocumentSyncKind } from 'vscode-languageserver'
import { TOKEN_MODIFIERS, TOKEN_TYPES, TRIGGER_CHARACTERS } from '../../../src/language/index.ts'
import { VERSION } from '../../../src/version.ts'
import { CHECK_COMMAND } from './checks.ts'
import type { Settings } from './settings.ts'

/** What a host gives the server. */
interface HostAbilities {
  readonly canCheck: boolean
  readonly hasFiles: boolean
}

/** What the server says that it can. */
export function capabilitiesOf(settings: Settings, { canCheck, hasFiles }: HostAbilities): InitializeResult {
  const { hasCommands, pullsFindings, hasWorkspaceFindings } = settings
  const workspaceDiagnostics = hasFiles && hasWorkspaceFindings
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
      ...(hasCommands || canCheck ? { codeLensProvider: {} } : {}),
      ...(canCheck ? { executeCommandProvider: { commands: [CHECK_COMMAND] } } : {}),
      ...(pullsFindings ? { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics } } : {}),
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
