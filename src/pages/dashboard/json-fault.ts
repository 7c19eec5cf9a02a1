/**
 * A part of the script: `jsonFault(text, kind)` says where the first thing stands that is not JSON, and what should stand
 * there; nothing when all is well. Browsers say it each in their own words, and most of them not where.
 */
export const JSON_FAULT = String.raw`
const jsonFault=(text,kind)=>{
let at=0;
const BLANK=/[ \t\r\n]*/y,STRING=/"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y,REST=/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const eat=(what)=>{what.lastIndex=at;const is=what.test(text);if(is)at=what.lastIndex;return is};
const need=(is,wanted)=>{if(!is)throw wanted};
const list=(end,one)=>{at++;eat(BLANK);
if(text[at]!==end)for(;;){one();eat(BLANK);if(text[at]===end)break;need(text[at]===",",'"," or "'+end+'"');at++;eat(BLANK)}
at++};
const value=()=>{eat(BLANK);
if(text[at]==="{")list("}",()=>{need(eat(STRING),"a name in double quotes");eat(BLANK);need(text[at]===":",'":"');at++;value()});
else if(text[at]==="[")list("]",value);
else need(eat(STRING)||eat(REST),"a value")};
if(!text.trim())return kind==="object"?"A JSON object is needed.":"";
try{JSON.parse(text);return kind==="object"&&!/^\s*\{/.test(text)?"It must be a JSON object: {…}":""}catch{}
try{value();eat(BLANK);need(at===text.length,"nothing more")}catch(wanted){
const lines=text.slice(0,at).split("\n"),found=at<text.length?"found "+JSON.stringify([...text.slice(at,at+2)][0]):"the text ends";
return "Line "+lines.length+", column "+(lines.at(-1).length+1)+": expected "+(typeof wanted==="string"?wanted:"less depth")+", "+found+"."}
return "This is not JSON."};
`;
