/** What a user can set, and what a client says of itself. */
import type { InitializeParams } from 'vscode-languageserver'
import { HINT_KINDS, type HintKind } from '../../../src/language/index.ts'

/** The settings of the section `heddle`, and what the client can do. */
export interface Settings {
  /** Hints that are shown: `heddle.inlayHints.names` and so on. */
  readonly hints: ReadonlySet<HintKind>
  /** The client has the commands of code lenses: `heddle.run`, `heddle.check`, `heddle.debug`, `heddle.showReferences`. */
  readonly hasCommands: boolean
  readonly hasSnippets: boolean
  /** The client shows other places of a finding as links. */
  readonly hasRelated: boolean
  /** The client says that it can request findings. */
  readonly pullsFindings: boolean
  /** Findings of files that are not open are wanted too. */
  readonly hasWorkspaceFindings: boolean
  /** Where the pages of docs/ are, with a slash at its end. */
  readonly docsUrl: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (x: unknown): Fields => (typeof x === 'object' && x !== null ? (x as Fields) : {})

/** Hints that are shown unless a setting says otherwise. */
const SHOWN: ReadonlySet<HintKind> = new Set(['names', 'blockEnds', 'floats'])

/** The settings with those of a section `heddle` in place of the old ones. */
export function withSection(settings: Settings, section: unknown): Settings {
  const hints = fieldsOf(fieldsOf(section).inlayHints)
  const shown = HINT_KINDS.filter((kind) => {
    const value = hints[kind]
    return typeof value === 'boolean' ? value : settings.hints.has(kind)
  })
  return { ...settings, hints: new Set(shown) }
}

/** The settings that a client begins with. */
export function initialSettings(params: InitializeParams, docsUrl: string | undefined): Settings {
  const options = fieldsOf(params.initializationOptions)
  const { completionItem } = params.capabilities.textDocument?.completion ?? {}
  const settings: Settings = {
    hints: SHOWN,
    hasCommands: options.commands === true,
    hasSnippets: completionItem?.snippetSupport === true,
    hasRelated: params.capabilities.textDocument?.publishDiagnostics?.relatedInformation === true,
    pullsFindings: params.capabilities.textDocument?.diagnostic !== undefined,
    hasWorkspaceFindings: fieldsOf(options.settings).workspaceDiagnostics === true,
    docsUrl: typeof options.docsUrl === 'string' ? options.docsUrl : docsUrl,
  }
  return withSection(settings, options.settings)
}
