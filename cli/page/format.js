// SPDX-License-Identifier: MIT
// Numbers as people read them: three or four digits and a unit.

const THIN = "\u2009"; // a thin space, between a number and its unit and between thousands

/** 1234567 -> "1 234 567" */
function count(n) {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** Three significant digits, without an exponent. */
function digits(x) {
  const size = Math.abs(x);
  if (size >= 1000) return count(x);
  if (size === 0) return "0";
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

const TIME_UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]];

/** The unit in which `seconds` is at least 1: [size in seconds, name]. */
function timeUnit(seconds) {
  return TIME_UNITS.find(([size]) => Math.abs(seconds) >= size * 0.9995) || TIME_UNITS[3];
}

function seconds(s) {
  if (!s) return `0${THIN}s`;
  const [size, name] = timeUnit(s);
  return `${digits(s / size)}${THIN}${name}`;
}

function percent(share) {
  const p = share * 100;
  return `${p !== 0 && p < 9.95 ? p.toFixed(1) : p.toFixed(0)}${THIN}%`;
}

function bytes(n) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let u = 0;
  while (n >= 1024 && u + 1 < units.length) {
    n /= 1024;
    ++u;
  }
  return `${u === 0 ? count(n) : digits(n)}${THIN}${units[u]}`;
}

/** "1 worker", "2 workers" */
function words(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** Base 64 to bytes, or to numbers of two bytes. */
function unpack(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

function unpack16(text) {
  const raw = unpack(text);
  return Uint16Array.from({length: raw.length / 2}, (_, i) => raw[2 * i] | (raw[2 * i + 1] << 8));
}
