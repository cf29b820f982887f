#pragma once
// Database: an SQLite file. Every error of the file is a UserError that says what to do.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace fuser::fuzz {

class Database {
 public:
  enum class Mode : uint8_t { Read, Write, Create };
  // An empty path creates the database in memory.
  Database(const std::filesystem::path& path, Mode mode);

  void execute(const std::string& sql);
  // Returns false, without an effect, if another program uses the file.
  bool executeUnlessBusy(const std::string& sql);

  // A prepared statement. Parameters and columns count from 0.
  class Statement {
   public:
    Statement(Database& database, std::string_view sql);
    Statement& bind(int parameter, int64_t value);
    Statement& bind(int parameter, double value);
    Statement& bind(int parameter, std::string_view value);
    Statement& bindBlob(int parameter, std::string_view bytes);
    // Returns whether there is a row.
    bool step();
    // Calls step(), which must give no row, and resets the statement for new parameters.
    void run();
    int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    std::string blob(int column) const;
    std::string bytes() const;  // of all columns, with their types

   private:
    struct Finalize {
      void operator()(sqlite3_stmt* statement) const;
    };
    Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  };

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  void open(int flags);
  // Whether a writer that was ended in the middle has left a journal, which only a writer undoes.
  bool hasLeftOverJournal();
  void check(int status);

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace fuser::fuzz
