// SPDX-License-Identifier: MIT
// What every page is made of: a headline, facts, commands that can be copied, and sections that the contents list.

function fact(name, value, note) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value, note && make("small", {}, ` ${note}`)));
}

/** The words of `text`, none of which breaks after a hyphen: "--n" stays together. */
function unbroken(text) {
  return text.split(" ").flatMap((word, i) => [i > 0 && " ", make("span", {class: "word"}, word)]);
}

/** A command with a button that copies it. */
function commandLine(command) {
  const copy = make("button", {type: "button", "aria-label": "Copy the command"}, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select it";
    }
  });
  return make("div", {class: "command"}, make("code", {}, unbroken(command)), copy);
}

const PAGE = document.getElementById("main");

/** The heading of the page, a sentence below it, and what else comes before the first section. */
function headline(title, lead, ...more) {
  document.title = `${title} \u2013 ${document.title}`;
  PAGE.append(make("h1", {}, unbroken(title)), make("p", {class: "lead"}, lead), ...more.filter(Boolean));
}

/** A section that the contents list. It is on the page before its figures are drawn, which need its width. */
function section(id, title, explain, ...content) {
  PAGE.append(make("section", {id, "aria-labelledby": `${id}-title`}, make("h2", {id: `${id}-title`}, title), explain && make("p", {class: "explain"}, explain), ...content));
  document.getElementById("contents").append(make("a", {href: `#${id}`}, title));
}

let source = "";

/** For the last line: what the page was made from. */
function madeFrom(what) {
  source = ` from ${what}`;
}

function finish(subcommand, began) {
  document.getElementById("about").append(`Made by skua ${subcommand}${source}.`);
  document.documentElement.dataset.ready = "yes";
  document.documentElement.dataset.drawMs = (performance.now() - began).toFixed(0);
}
