#include <bench/report/Page.hpp>

#include <bench/report/Column.hpp>
#include <bench/report/Json.hpp>

#include <stdexcept>
#include <utility>

namespace cottonwood::report {
namespace {

constexpr std::string_view MARK = "<!--report-data-->";

void write(JsonWriter &json, std::string_view key, std::string const &text) {
  json.key(key).value(jsonString(text));
}

void write(JsonWriter &json, std::string_view key, std::vector<Number> const &column) {
  json.key(key).value(jsonString(packColumn(column)));
}

/// An array, written element by element.
template <typename T, typename Element>
void writeArray(JsonWriter &json, std::string_view key, std::vector<T> const &all,
                Element const &element) {
  json.key(key).open('[');
  for (T const &one : all)
    element(one);
  json.close(']');
}

template <typename Row> using Column = std::pair<std::string_view, Number Row::*>;

/// An object with a packed column a member.
template <typename Row, std::size_t N>
void writeTable(JsonWriter &json, std::string_view key, std::vector<Row> const &rows,
                Column<Row> const (&columns)[N]) {
  json.key(key).open('{');
  for (auto const &[name, member] : columns) {
    std::vector<Number> values;
    values.reserve(rows.size());
    for (Row const &row : rows)
      values.push_back(row.*member);
    write(json, name, values);
  }
  json.close('}');
}

void writeFact(JsonWriter &json, Fact const &fact) {
  json.open('{');
  write(json, "group", fact.group);
  write(json, "name", fact.name);
  write(json, "unit", fact.unit);
  auto const *const text = std::get_if<std::string>(&fact.value);
  json.key("value").value(text ? jsonString(*text) : jsonNumber(std::get<double>(fact.value)));
  json.close('}');
}

void writeCategories(JsonWriter &json, std::string_view key, std::vector<Category> const &all) {
  writeArray(json, key, all, [&](Category const &category) {
    json.open('{');
    write(json, "name", category.name);
    write(json, "bytes", category.bytes);
    json.close('}');
  });
}

void writeMemory(JsonWriter &json, Memory const &memory) {
  json.key("memory").open('{');
  json.key("limit").value(std::to_string(memory.limit));
  write(json, "total", memory.total);
  write(json, "alwaysLive", memory.alwaysLive);
  writeCategories(json, "categories", memory.categories);
  writeCategories(json, "regions", memory.regions);
  json.close('}');
}

void writeVariables(JsonWriter &json, PageData const &data) {
  writeTable<Variable>(json, "variables", data.variables,
                       {{"name", &Variable::name},
                        {"bytes", &Variable::bytes},
                        {"alwaysLive", &Variable::alwaysLive}});
  writeTable<VariableRun>(json, "variableRuns", data.variableRuns,
                          {{"variable", &VariableRun::variable},
                           {"tile", &VariableRun::tile},
                           {"length", &VariableRun::length},
                           {"bytes", &VariableRun::bytes}});
  writeTable<LiveStep>(
      json, "liveness", data.liveness,
      {{"kind", &LiveStep::kind}, {"name", &LiveStep::name}, {"bytes", &LiveStep::bytes}});
  writeTable<Lifetime>(json, "lifetimes", data.lifetimes,
                       {{"name", &Lifetime::name},
                        {"bytes", &Lifetime::bytes},
                        {"from", &Lifetime::from},
                        {"to", &Lifetime::to}});
}

void writeVertices(JsonWriter &json, PageData const &data) {
  writeTable<ComputeSet>(json, "computeSets", data.computeSets,
                         {{"name", &ComputeSet::name},
                          {"vertices", &ComputeSet::vertices},
                          {"executions", &ComputeSet::executions},
                          {"cycles", &ComputeSet::cycles}});
  writeTable<SetVertices>(json, "setVertices", data.setVertices,
                          {{"set", &SetVertices::set},
                           {"type", &SetVertices::type},
                           {"count", &SetVertices::count},
                           {"cycles", &SetVertices::cycles}});
  writeTable<VertexType>(json, "vertexTypes", data.vertexTypes,
                         {{"name", &VertexType::name},
                          {"count", &VertexType::count},
                          {"codeBytes", &VertexType::codeBytes},
                          {"stateBytes", &VertexType::stateBytes},
                          {"cycles", &VertexType::cycles}});
}

void writeSteps(JsonWriter &json, PageData const &data) {
  writeTable<Step>(json, "steps", data.steps,
                   {{"kind", &Step::kind},
                    {"name", &Step::name},
                    {"cycles", &Step::cycles},
                    {"syncCycles", &Step::syncCycles},
                    {"minCycles", &Step::minCycles},
                    {"meanCycles", &Step::meanCycles},
                    {"maxCycles", &Step::maxCycles},
                    {"activeTiles", &Step::activeTiles},
                    {"bytesIn", &Step::bytesIn},
                    {"bytesOut", &Step::bytesOut},
                    {"executions", &Step::executions}});
  writeTable<StepRun>(json, "stepRuns", data.stepRuns,
                      {{"step", &StepRun::step},
                       {"tile", &StepRun::tile},
                       {"length", &StepRun::length},
                       {"cycles", &StepRun::cycles}});
}

void writeExecution(JsonWriter &json, PageData const &data) {
  writeArray(json, "runs", data.runs, [&](Run const &run) {
    json.open('{');
    write(json, "name", run.name);
    json.key("begin").value(std::to_string(run.begin));
    json.key("end").value(std::to_string(run.end));
    json.close('}');
  });
  writeTable<Entry>(json, "execution", data.execution,
                    {{"step", &Entry::step}, {"count", &Entry::count}});
  writeTable<Group>(json, "groups", data.groups,
                    {{"entries", &Group::entries}, {"repeats", &Group::repeats}});
  json.key("executionIsCut").value(data.executionIsCut ? "true" : "false");
}

} // namespace

std::string toJson(PageData const &data) {
  JsonWriter json;
  json.open('{');
  json.key("format").value(std::to_string(PAGE_FORMAT));
  write(json, "file", data.file);
  writeArray(json, "facts", data.facts, [&](Fact const &fact) { writeFact(json, fact); });
  writeArray(json, "names", data.names,
             [&](std::string const &name) { json.value(jsonString(name)); });
  writeMemory(json, data.memory);
  writeVariables(json, data);
  writeVertices(json, data);
  writeSteps(json, data);
  writeExecution(json, data);
  writeArray(json, "plans", data.plans, [&](Plan const &plan) {
    json.open('{');
    write(json, "name", plan.name);
    write(json, "text", plan.text);
    json.close('}');
  });
  json.close('}');
  return json.text();
}

std::string makePage(std::span<PageData const> reports) {
  std::size_t const mark = PAGE_TEMPLATE.find(MARK);
  if (mark == std::string_view::npos)
    throw std::logic_error("report::makePage: the template has no mark for the data");
  std::string page(PAGE_TEMPLATE.substr(0, mark));
  for (PageData const &report : reports)
    page += "<script type=\"application/json\" class=\"report\">" + toJson(report) + "</script>\n";
  return page.append(PAGE_TEMPLATE.substr(mark + MARK.size()));
}

} // namespace cottonwood::report
