// Starts `ggp lsp` when a game is opened, and ends it with the editor.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = workspace.getConfiguration("gdl").get("command");
  const server = { command, args: [...args, "lsp"] };
  client = new LanguageClient("gdl", "GDL", server, { documentSelector: [{ language: "gdl" }] });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`${command} lsp does not start (${error.message}): pip install "ggp[lsp]", or set gdl.command`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
