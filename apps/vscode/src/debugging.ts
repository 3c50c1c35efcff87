/** F5: what is debugged where no configuration says so, and where the adapter runs. */
import * as vscode from 'vscode'
import { EditorDebugAdapter } from './debug-adapter.ts'

const isDebuggable = (uri: vscode.Uri): boolean => /\.(?:job\.json|dxbc|cso|dxasm|dxbcasm)$/.test(uri.path)

/** The file that the user looks at: text, or a compiled shader in its own editor. */
export function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
  if (input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText) return input.uri
  return vscode.window.activeTextEditor?.document.uri
}

export function configurationFor(uri: vscode.Uri): vscode.DebugConfiguration {
  return { type: 'heddle', request: 'launch', name: 'Heddle', program: uri.toString(), stopOnEntry: true }
}

class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  /** Without launch.json the configuration is empty, and what the user looks at is debugged. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (typeof configuration.program === 'string') return configuration
    const uri = activeUri()
    const isOfLanguage = vscode.window.activeTextEditor?.document.languageId === 'dxbc'
    if (uri !== undefined && (isDebuggable(uri) || isOfLanguage)) return { ...configurationFor(uri), ...configuration }
    await vscode.window.showErrorMessage(
      'Heddle debugs run descriptions (.job.json), compiled compute shaders and listings: open one, or name it as "program" in launch.json.',
    )
    return undefined
  }

  /** What the list of configurations offers beside those of launch.json. */
  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    const uri = activeUri()
    return uri !== undefined && isDebuggable(uri) ? [configurationFor(uri)] : []
  }
}

export function registerDebugging(): vscode.Disposable {
  const provider = new ConfigurationProvider()
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind
  return vscode.Disposable.from(
    vscode.debug.registerDebugConfigurationProvider('heddle', provider),
    vscode.debug.registerDebugConfigurationProvider('heddle', provider, Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory('heddle', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterInlineImplementation(new EditorDebugAdapter()),
    }),
  )
}
